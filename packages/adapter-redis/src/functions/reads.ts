/** Lua functions for reads and sweeping. */
export const reads = `
local function keyFound(prefix, kindName, kind, member, value)
  for _, each in ipairs(kind.unique) do
    if each == member then return redis.call('GET', prefix .. kindName .. ':unique:' .. member .. ':' .. value) end
  end
  if #kind.key > 1 then return cjson.encode(cjson.decode(value)) end
  return value
end

-- A row by its key or a secondary one, and its grant: two lists of columns and values, both empty where there is none.
local function find(keys, args)
  local prefix, kindName, member, value = keys[1], args[1], args[2], args[3]
  local kind = kinds[kindName]
  local key = keyFound(prefix, kindName, kind, member, value)
  if not key then return { {}, {} } end
  local flat = redis.call('HGETALL', rowKey(prefix, kindName, key))
  if #flat == 0 or kind.ofGrant == nil or args[4] ~= 'grant' then return { flat, {} } end
  local id = asTable(flat)[kind.ofGrant]
  return { flat, id and redis.call('HGETALL', rowKey(prefix, 'grants', id)) or {} }
end

local function listed(keys, args)
  local prefix, kindName, name, given, most = keys[1], args[1], args[2], cjson.decode(args[3]), tonumber(args[4])
  local list = kinds[kindName].lists[name]
  local place = listKey(prefix, kindName, name, list, given, true)
  local found, from, last = {}, 0, nil
  if place == nil then return found end
  local bound = list.bound and given[list.bound] or '+inf'
  local ends = list.down and { bound, '-inf' } or { '-inf', bound }
  while true do
    local part
    if list.down then part = redis.call('ZREVRANGEBYSCORE', place, ends[1], ends[2], 'WITHSCORES', 'LIMIT', from, 200)
    else part = redis.call('ZRANGEBYSCORE', place, ends[1], ends[2], 'WITHSCORES', 'LIMIT', from, 200) end
    for at = 1, #part, 2 do
      -- Rows of one score are read to the last, unless they are in their order already.
      if #found >= most and (list.exact or part[at + 1] ~= last) then return found end
      local flat = redis.call('HGETALL', rowKey(prefix, kindName, part[at]))
      local row = asTable(flat)
      local meant = row ~= nil and isListed(row, list) and meets(row, list.asked, given)
      if meant then
        found[#found + 1] = flat
        last = part[at + 1]
      end
    end
    if #part < 400 then return found end
    from = from + 200
  end
end

-- Drops what may go: so many rows of each kind at most.
local function sweep(keys, args)
  local prefix, now, slice, removed, more = keys[1], args[1], tonumber(args[2]), 0, 0
  for kindName, kind in pairs(kinds) do
    if kind['until'] then
      local gone = redis.call('ZRANGEBYSCORE', prefix .. kindName .. ':until', '-inf', now, 'LIMIT', 0, slice)
      for _, key in ipairs(gone) do
        local before = asTable(redis.call('HGETALL', rowKey(prefix, kindName, key)))
        if before then
          write(prefix, kindName, kind, key, before, nil)
          removed = removed + 1
        else redis.call('ZREM', prefix .. kindName .. ':until', key) end
      end
      if #gone == slice then more = 1 end
    end
  end
  return { removed, more }
end

-- Puts rows in their places once more, for a version that has places that the one before had not.
local function place(keys, args)
  local prefix, kindName = keys[1], args[1]
  local start = #rowKey(prefix, kindName, '') + 1
  for at = 2, #args do
    local row = asTable(redis.call('HGETALL', args[at]))
    for found, score in pairs(places(prefix, kindName, kinds[kindName], row)) do
      if score == 'unique' then redis.call('SET', found, args[at]:sub(start)) else redis.call('ZADD', found, score, args[at]:sub(start)) end
    end
  end
  return 'OK'
end
`
