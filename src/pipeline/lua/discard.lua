-- Failed deliveries are given up by a person, or by age. ARGV[5] handler, [6] stream, [7] '1': leave what is parked or
-- waits for its replay, then the ids
-- Returns {discarded ids}, how many of them by this call, {handler, stream, id, how, …}. Their jobs are removed by the
-- caller, by BullMQ's own means.
local handler, stream, leaveWaiting = ARGV[5], ARGV[6], ARGV[7] == '1'
local lane, flight = laneKey(handler, stream), flightKey(handler, stream)
local discarded, count = {}, 0
for i = 8, #ARGV do
  local id = ARGV[i]
  local waiting = redis.call('ZSCORE', lane, id)
  if hasFailed(handler, id) and not (waiting and leaveWaiting) then
    -- Counted once, even if this call died before the job was removed and is made again.
    if redis.call('HSETNX', jobKey(handler, id), 'discarded', '1') == 1 then
      count = count + 1
      if waiting then
        redis.call('ZREM', lane, id)
        account(id, -1, 0)
        if redis.call('HGET', flight, 'id') == id then choose(handler, stream) end
      elseif redis.call('HEXISTS', jobKey(handler, id), 'exhausted') == 1 then
        -- Else it was done before its job was failed, by crashes.
        account(id, 0, -1)
      end
    end
    discarded[#discarded + 1] = id
  end
end
local todo = {}
dispatchInFlight(todo, handler, stream)
return { discarded, count, todo }
