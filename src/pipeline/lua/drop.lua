-- Takes a lane down, with all deliveries in it. ARGV[5] handler, [6] stream. Returns how many there were.
local handler, stream = ARGV[5], ARGV[6]
local ids = redis.call('ZRANGE', laneKey(handler, stream), 0, -1)
for _, id in ipairs(ids) do account(id, -1, 0) end
redis.call('DEL', laneKey(handler, stream), flightKey(handler, stream))
redis.call('ZREM', lanesKey(handler), stream)
return #ids
