-- A job asks whether it may run. ARGV[5] handler, [6] stream, [7] id, [8] its lock's token, or '' for none
-- Returns {'lost'}: its lock ran out (it waited for a Redis that was away), so it will be, or is, run anew; {'run', fence, late, data, replays, attempts before the replay}; {'gone', fence}: the notification is lost; or,
-- with what is to be dispatched, {'exhausted', reason, handler, stream, id, how, …}: given up before the job was failed, or
-- {'skip', handler, stream, id, how, …}: another one is in flight.
local handler, stream, id = ARGV[5], ARGV[6], ARGV[7]
if ARGV[8] ~= '' and redis.call('GET', jobKey(handler, id) .. ':lock') ~= ARGV[8] then return { 'lost' } end
local flight = flightKey(handler, stream)
local state = redis.call('HMGET', flight, 'id', 'last', 'parked')
local job = redis.call('HMGET', jobKey(handler, id), 'exhausted', 'replays', 'attemptsBefore')
if job[1] or state[1] ~= id then
  local todo = job[1] and { 'exhausted', job[1] } or { 'skip' }
  dispatchInFlight(todo, handler, stream)
  return todo
end
local fence = redis.call('INCR', prefix .. ':fence')
redis.call('HSET', flight, 'fence', fence)
local data = redis.call('HGET', notificationKey(id), 'data')
if not data then return { 'gone', fence } end
local score = redis.call('ZSCORE', laneKey(handler, stream), id)
local late = state[2] and tonumber(score) < tonumber(state[2])
if not late then redis.call('HSET', flight, 'last', score) end
return { 'run', fence, late and 1 or 0, data, job[2] or '0', job[3] or '0' }
