/** Lua functions for the rows before and after a set of commands. */
export const world = `
-- The rows as a set of commands finds and leaves them: what is stored, and over it what the commands before have changed.
local function world(prefix)
  -- Rows by their keys, and the keys of those that came under a value only now.
  local changed, own = {}, {}
  local self = { changed = changed }
  local function entry(kindName, key)
    local at = rowKey(prefix, kindName, key)
    if changed[at] == nil then
      local before = asTable(redis.call('HGETALL', at))
      changed[at] = { kindName = kindName, key = key, before = before, after = before }
    end
    return changed[at]
  end
  function self.get(kindName, key) return entry(kindName, key).after end
  function self.put(kindName, key, row)
    local found = entry(kindName, key)
    found.after = row
    if row == nil then return end
    for _, column in ipairs(kinds[kindName].finding) do
      local value = row[column]
      if value and (found.before == nil or found.before[column] ~= value) then
        local place = kindName .. ':' .. column .. ':' .. value
        own[place] = own[place] or {}
        own[place][#own[place] + 1] = key
      end
    end
  end
  function self.keys(kindName, column, value)
    local found, met = {}, {}
    local function add(key)
      if met[key] then return end
      met[key] = true
      local row = self.get(kindName, key)
      if row and row[column] == value then found[#found + 1] = key end
    end
    for _, key in ipairs(redis.call('ZRANGE', prefix .. kindName .. ':by:' .. column .. ':' .. value, 0, -1)) do add(key) end
    for _, key in ipairs(own[kindName .. ':' .. column .. ':' .. value] or {}) do add(key) end
    return found
  end
  function self.taken(kindName, kind, row)
    for _, member in ipairs(kind.unique) do
      local value = row[member]
      if value then
        local stored = redis.call('GET', prefix .. kindName .. ':unique:' .. member .. ':' .. value)
        local others = { unpack(own[kindName .. ':' .. member .. ':' .. value] or {}) }
        if stored then others[#others + 1] = stored end
        for _, key in ipairs(others) do
          local other = self.get(kindName, key)
          if other and other[member] == value then return true end
        end
      end
    end
    return false
  end
  return self
end
`
