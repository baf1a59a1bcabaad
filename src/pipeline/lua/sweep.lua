-- Looks at lanes whose head was chosen a while ago. ARGV[5] handler, [6] chosen before (ms), [7] how many lanes at most
-- [8] '1': the handler parks
-- Returns {handler, stream, id, how, …} with what is missing.
local handler = ARGV[5]
local todo = {}
local streams = redis.call('ZRANGE', lanesKey(handler), '-inf', ARGV[6], 'BYSCORE', 'LIMIT', 0, ARGV[7])
for _, stream in ipairs(streams) do
  redis.call('ZADD', lanesKey(handler), now, stream)
  local flight = redis.call('HMGET', flightKey(handler, stream), 'id', 'parked')
  local id = flight[1]
  if not id or not redis.call('ZSCORE', laneKey(handler, stream), id) then
    choose(handler, stream)
  elseif not flight[2] and hasCrashed(handler, id) then
    exhaust(handler, stream, id, redis.call('HGET', jobKey(handler, id), 'failedReason') or '', ARGV[8] == '1')
  end
  dispatchInFlight(todo, handler, stream)
end
return todo
