/** Lua functions for signing keys and request counts. */
export const beside = `
local function addKeys(keys, args)
  local seen, added, at = cjson.decode(args[1]), cjson.decode(args[2]), keys[1] .. 'signing_keys'
  if redis.call('HLEN', at) ~= #seen then return 'Conflict' end
  for _, kid in ipairs(seen) do if redis.call('HEXISTS', at, kid) == 0 then return 'Conflict' end end
  local met = {}
  for _, each in ipairs(added) do
    if met[each[1]] or redis.call('HEXISTS', at, each[1]) == 1 then return 'Conflict' end
    met[each[1]] = true
  end
  for _, each in ipairs(added) do redis.call('HSET', at, each[1], each[2]) end
  return 'Committed'
end

-- Requests of several processes, by the moment at which each bucket is full again (see RequestCountsPort).
local function exchange(keys, args)
  local now, answers = tonumber(args[1]), {}
  for _, told in ipairs(cjson.decode(args[2])) do
    local at, taken, alone = keys[1] .. 'count:' .. told[1], tonumber(told[2]), tonumber(told[3])
    local kept, full = tonumber(redis.call('GET', at) or ''), nil
    if kept == nil or kept > now + 180000 then full = alone
    else full = math.max(kept, alone, math.min(kept + taken, now + 120000)) end
    local text = string.format('%.17g', full)
    -- A bucket that is full is as good as none. Its time is counted by the server's clock, so it is kept for somewhat longer.
    redis.call('SET', at, text, 'PX', string.format('%.0f', math.min(math.max(full - now, 0), 180000) + 60000))
    answers[#answers + 1] = text
  end
  return answers
end
`
