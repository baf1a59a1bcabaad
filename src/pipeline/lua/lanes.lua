-- Shared by all scripts: prepended to each, after `mostCrashes`. All keys share the prefix's hash tag.
-- ARGV[1] prefix, ARGV[2] now (ms), ARGV[3] how long a handled notification is kept (s),
-- ARGV[4] how long one with a failed delivery is kept (s); a script's own arguments follow from ARGV[5].
local prefix = ARGV[1]
local now = tonumber(ARGV[2])
local keepHandled = ARGV[3]
local keepFailed = ARGV[4]

local function laneKey(handler, stream) return prefix .. ':lane:' .. handler .. ':' .. stream end
local function flightKey(handler, stream) return prefix .. ':flight:' .. handler .. ':' .. stream end
local function lanesKey(handler) return prefix .. ':lanes:' .. handler end
local function notificationKey(id) return prefix .. ':notification:' .. id end
local function jobKey(handler, id) return prefix .. ':handler-' .. handler .. ':' .. id end
local function jobIsIn(handler, id, set)
  return redis.call('ZSCORE', prefix .. ':handler-' .. handler .. ':' .. set, id) and true or false
end
local function hasFailed(handler, id) return jobIsIn(handler, id, 'failed') end
-- BullMQ failed a job that took its worker down once more than it may: it would only go on doing so.
local function hasCrashed(handler, id)
  return hasFailed(handler, id) and tonumber(redis.call('HGET', jobKey(handler, id), 'stc') or 0) > mostCrashes
end

-- Makes the lane's earliest delivery the one in flight; an empty lane is remembered for `late` alone.
local function choose(handler, stream)
  local flight = flightKey(handler, stream)
  redis.call('HDEL', flight, 'id', 'fence', 'parked')
  local head = redis.call('ZRANGE', laneKey(handler, stream), 0, 0)[1]
  if head then
    redis.call('HSET', flight, 'id', head)
    redis.call('PERSIST', flight)
    redis.call('ZADD', lanesKey(handler), now, stream)
  else
    redis.call('EXPIRE', flight, keepHandled)
    redis.call('ZREM', lanesKey(handler), stream)
  end
end

-- Appends to `todo` what makes the delivery in flight run, if anything is missing: its job, or another run of it. It may lie
-- completed after a stray retry, which found it not yet in flight. One that has crashed is left to the sweep.
local function dispatchInFlight(todo, handler, stream)
  local flight = redis.call('HMGET', flightKey(handler, stream), 'id', 'parked')
  local id = flight[1]
  if not id or flight[2] then return end
  local how
  if redis.call('EXISTS', jobKey(handler, id)) == 0 then
    how = 'add'
  elseif jobIsIn(handler, id, 'completed') then
    how = 'rerun'
  elseif hasFailed(handler, id) and not hasCrashed(handler, id) then
    how = 'retry'
  end
  if not how then return end
  todo[#todo + 1] = handler
  todo[#todo + 1] = stream
  todo[#todo + 1] = id
  todo[#todo + 1] = how
end

-- Counts a notification into (or out of) lanes and failures; once in no lane, it is kept for its time and no longer.
local function account(id, pending, failed)
  local key = notificationKey(id)
  if redis.call('EXISTS', key) == 0 then return end
  local inLanes = redis.call('HINCRBY', key, 'pending', pending)
  local failures = redis.call('HINCRBY', key, 'failed', failed)
  if inLanes > 0 then
    redis.call('PERSIST', key)
  else
    redis.call('EXPIRE', key, failures > 0 and keepFailed or keepHandled)
  end
end

-- The delivery in flight is given up: it stays with its job, marked; the lane goes on, or waits for a person.
local function exhaust(handler, stream, id, reason, park)
  redis.call('HSET', jobKey(handler, id), 'exhausted', reason)
  if park then
    redis.call('HSET', flightKey(handler, stream), 'parked', '1')
    -- Nor may the run that parked it say so again, once it is replayed.
    redis.call('HDEL', flightKey(handler, stream), 'fence')
    return
  end
  redis.call('ZREM', laneKey(handler, stream), id)
  account(id, -1, 1)
  choose(handler, stream)
end
