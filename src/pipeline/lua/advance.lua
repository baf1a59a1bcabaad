-- A run has ended for good. ARGV[5] handler, [6] stream, [7] id, [8] fence, [9] 'done', 'continue' or 'park',
-- [10] reason, where it failed
-- Returns {'advanced' or 'superseded', handler, stream, id, how, …} with what is to be dispatched.
local handler, stream, id, outcome = ARGV[5], ARGV[6], ARGV[7], ARGV[9]
local flight = redis.call('HMGET', flightKey(handler, stream), 'id', 'fence')
local todo = { 'superseded' }
if flight[1] == id and flight[2] == ARGV[8] then
  todo[1] = 'advanced'
  if outcome == 'done' then
    redis.call('ZREM', laneKey(handler, stream), id)
    account(id, -1, 0)
    choose(handler, stream)
  else
    exhaust(handler, stream, id, ARGV[10], outcome == 'park')
  end
end
dispatchInFlight(todo, handler, stream)
return todo
