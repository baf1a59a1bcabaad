-- Failed deliveries of a lane go into it again. ARGV[5] handler, [6] stream, then id and score of each
-- Returns {how many now wait or run because of this call, how many are lost, handler, stream, id, how, …}.
local handler, stream = ARGV[5], ARGV[6]
local lane, flight = laneKey(handler, stream), flightKey(handler, stream)
local replayed, lost = 0, 0
for i = 7, #ARGV, 2 do
  local id, score = ARGV[i], ARGV[i + 1]
  local job = jobKey(handler, id)
  if hasFailed(handler, id) and redis.call('HEXISTS', job, 'discarded') == 0 then
    local state = redis.call('HMGET', flight, 'id', 'parked')
    local parked = state[1] == id and state[2]
    if redis.call('EXISTS', notificationKey(id)) == 0 then
      lost = lost + 1
    elseif parked or not redis.call('ZSCORE', lane, id) then
      if parked then
        redis.call('HDEL', flight, 'parked')
      else
        redis.call('ZADD', lane, score, id)
        -- One that was done before its job was failed, by crashes, never counted as failed.
        account(id, 1, redis.call('HEXISTS', job, 'exhausted') == 1 and -1 or 0)
      end
      -- A fresh set of attempts, and a fresh count of crashes (BullMQ's `stc`).
      redis.call('HDEL', job, 'exhausted', 'stc')
      redis.call('HINCRBY', job, 'replays', 1)
      redis.call('HSET', job, 'attemptsBefore', redis.call('HGET', job, 'atm') or '0')
      replayed = replayed + 1
    end
  end
end
if redis.call('HEXISTS', flight, 'id') == 0 then choose(handler, stream) end
local todo = { replayed, lost }
dispatchInFlight(todo, handler, stream)
return todo
