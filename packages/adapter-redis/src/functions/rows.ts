/** Lua functions for rows: their keys, their conditions, and their index entries. */
export const rows = `
local function rowKey(prefix, kindName, key) return prefix .. kindName .. ':row:' .. key end

local function keyOf(kind, members)
  if #kind.key == 1 then return members[kind.key[1]] end
  local parts = {}
  for at, member in ipairs(kind.key) do parts[at] = members[member] end
  return cjson.encode(parts)
end

local function asTable(flat)
  if #flat == 0 then return nil end
  local row = {}
  for at = 1, #flat, 2 do row[flat[at]] = flat[at + 1] end
  return row
end

local function operand(to, given)
  if type(to) == 'number' then return string.format('%.0f', to) end
  if type(to) == 'boolean' then return to and '1' or '0' end
  local name = to:sub(2)
  if name:sub(-1) == '?' then name = name:sub(1, -2) end
  return given[name]
end

-- Texts are compared by their bytes: what Lua makes of < depends on a setting of the server.
local function comesBefore(left, right)
  for at = 1, math.min(#left, #right) do
    local one, other = left:byte(at), right:byte(at)
    if one ~= other then return one < other end
  end
  return #left < #right
end

local function holds(row, condition, given)
  local stored, is, to = row[condition[1]], condition[2], condition[3]
  if is == 'unset' then return stored == nil end
  if is == 'set' then return stored ~= nil end
  if is == 'is' then return stored == to end
  if is == 'contains' then
    if stored == nil then return false end
    for _, each in ipairs(cjson.decode(stored)) do if each == to then return true end end
    return false
  end
  local value = operand(to, given)
  if is == 'equal' then return stored ~= nil and stored == value end
  if stored == nil or value == nil then return false end
  if is == 'textBelow' then return comesBefore(stored, value) end
  local left, right = tonumber(stored), tonumber(value)
  if is == 'atMost' then return left <= right end
  if is == 'below' then return left < right end
  return left > right
end

local function meets(row, conditions, given)
  for _, condition in ipairs(conditions) do if not holds(row, condition, given) then return false end end
  return true
end

local function isListed(row, list)
  if not meets(row, list.fixed, {}) then return false end
  if #list.any == 0 then return true end
  for _, condition in ipairs(list.any) do if holds(row, condition, {}) then return true end end
  return false
end

local function listKey(prefix, kindName, listName, list, members, given)
  local values = {}
  for at, pair in ipairs(list.equal) do
    local value = members[given and pair[2] or pair[1]]
    if value == nil then return nil end
    values[at] = value
  end
  return prefix .. kindName .. ':list:' .. listName .. ':' .. cjson.encode(values)
end

-- Every place a row is found at beside its key, each with its score; a place of a secondary key has none.
local function places(prefix, kindName, kind, row)
  local found = {}
  if row == nil then return found end
  for _, member in ipairs(kind.unique) do
    if row[member] then found[prefix .. kindName .. ':unique:' .. member .. ':' .. row[member]] = 'unique' end
  end
  for _, column in ipairs(kind.by) do
    if row[column] then found[prefix .. kindName .. ':by:' .. column .. ':' .. row[column]] = '0' end
  end
  if kind['until'] then
    local moment = row[kind['until']]
    if moment and not (kind.endless and moment == '0') then found[prefix .. kindName .. ':until'] = moment end
  end
  for name, list in pairs(kind.lists) do
    if isListed(row, list) then
      local place = listKey(prefix, kindName, name, list, row, false)
      if place then found[place] = list.score and row[list.score] or '0' end
    end
  end
  return found
end

local function write(prefix, kindName, kind, key, before, after)
  local at = rowKey(prefix, kindName, key)
  local was, is = places(prefix, kindName, kind, before), places(prefix, kindName, kind, after)
  for place, score in pairs(was) do
    if is[place] == nil then
      -- Another row of the same commit may have come into the place of a secondary key.
      if score ~= 'unique' then redis.call('ZREM', place, key)
      elseif redis.call('GET', place) == key then redis.call('DEL', place) end
    end
  end
  for place, score in pairs(is) do
    if was[place] ~= score then
      if score == 'unique' then redis.call('SET', place, key) else redis.call('ZADD', place, score, key) end
    end
  end
  if after == nil then redis.call('DEL', at) return end
  local set, unset = {}, {}
  for column, value in pairs(after) do
    if before == nil or before[column] ~= value then
      set[#set + 1] = column
      set[#set + 1] = value
    end
  end
  for column in pairs(before or {}) do if after[column] == nil then unset[#unset + 1] = column end end
  if #set > 0 then redis.call('HSET', at, unpack(set)) end
  if #unset > 0 then redis.call('HDEL', at, unpack(unset)) end
end
`
