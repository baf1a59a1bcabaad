-- Moves every held notification of a stream up to a score, in order, into the lanes of the handlers that subscribe to it.
-- ARGV[5] id, [6] kind, [7] stream, [8] score, [9] 'wait' for the stream's start, 'go' without it, or 'alone': there is
-- no stream, [10] reorder window (ms), [11] how long a stream is remembered (s)
-- Returns {'wait'}, or {'released', when (ms), handler, stream, id, how, …} with what is to be dispatched.
local id, kind, stream, score = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
local window = tonumber(ARGV[10])
local held = prefix .. ':held:' .. stream
-- How long a job may follow its index, ms: both are written in one go, by one connection.
local halfWrittenFor = 60000
local streamState = prefix .. ':stream:' .. stream

local function notificationJob(of) return prefix .. ':notifications:' .. of end

local function subscribes(kinds, to)
  if kinds == '*' then return true end
  for kind in string.gmatch(kinds, '[^,]+') do if kind == to then return true end end
  return false
end

-- Ids are UUIDv7: the first 48 bits are the time of receipt.
local function receivedAt(of) return tonumber(string.sub(of, 1, 8) .. string.sub(of, 10, 13), 16) end

local isOpen = ARGV[9] == 'alone' or redis.call('HEXISTS', streamState, 'open') == 1
if not isOpen and kind ~= 'started' and ARGV[9] == 'wait'
    and redis.call('HEXISTS', notificationJob(id), 'released') == 0 then
  return { 'wait' }
end
if ARGV[9] ~= 'alone' then
  redis.call('HSET', streamState, 'open', '1')
  redis.call('EXPIRE', streamState, ARGV[11])
end

-- A start sets free what waited for it alone: all up to the latest one whose hold is over.
local upTo = score
if kind == 'started' and not isOpen then
  local waiting = redis.call('ZRANGE', held, 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do
    if receivedAt(waiting[i]) + window <= now and tonumber(waiting[i + 1]) > upTo then upTo = tonumber(waiting[i + 1]) end
  end
end

local due = redis.call('ZRANGE', held, '-inf', upTo, 'BYSCORE', 'WITHSCORES')
-- It may be missing from the index: that is not what says that it is held.
due[#due + 1] = id .. '|' .. kind
due[#due + 1] = ARGV[8]

local subscriptions = redis.call('HGETALL', prefix .. ':handlers')
local touched = {}
local moved = false
for i = 1, #due, 2 do
  local heldId, heldKind = string.sub(due[i], 1, 36), string.sub(due[i], 38)
  local job = notificationJob(heldId)
  local hasJob = redis.call('EXISTS', job) == 1
  -- Without a job it is half written, or a repeat.
  if hasJob or receivedAt(heldId) + halfWrittenFor <= now then redis.call('ZREM', held, due[i]) end
  -- Kept already: released before, and its job was added again after its identity was forgotten.
  if hasJob and redis.call('HSETNX', job, 'released', '1') == 1
      and redis.call('EXISTS', notificationKey(heldId)) == 0 then
    moved = true
    local lanes = 0
    for s = 1, #subscriptions, 2 do
      local handler, kinds = subscriptions[s], subscriptions[s + 1]
      if subscribes(kinds, heldKind) then
        redis.call('ZADD', laneKey(handler, stream), due[i + 1], heldId)
        touched[handler] = true
        lanes = lanes + 1
      end
    end
    redis.call('HSET', notificationKey(heldId), 'data', redis.call('HGET', job, 'data'), 'releasedAt', ARGV[2])
    account(heldId, lanes, 0)
  end
end

local todo = { 'released', redis.call('HGET', notificationKey(id), 'releasedAt') or ARGV[2] }
for s = 1, #subscriptions, 2 do
  local handler = subscriptions[s]
  -- Nothing moved: a re-run, maybe after a crash before the dispatch, so every lane of the stream is looked at.
  if touched[handler] or not moved then
    if touched[handler] and redis.call('HEXISTS', flightKey(handler, stream), 'id') == 0 then choose(handler, stream) end
    dispatchInFlight(todo, handler, stream)
  end
end
return todo
