/** Lua functions for events and commits. All commands are checked before any write, so that a conflict needs no rollback. */
export const commit = `
local function withChange(row, change, given)
  local after = {}
  for column, value in pairs(row) do after[column] = value end
  for _, assignment in ipairs(change) do
    local column, how = assignment[1], assignment[2]
    local value = assignment[3] ~= nil and operand(assignment[3], given) or nil
    if how == 'unset' then after[column] = nil
    elseif how == 'add' then after[column] = string.format('%.0f', tonumber(row[column]) + tonumber(value))
    elseif how == 'max' then after[column] = string.format('%.0f', math.max(tonumber(row[column]), tonumber(value)))
    elseif how == 'set' or value ~= nil then after[column] = value end
  end
  return after
end

local function has(list, columns)
  for _, assignment in ipairs(list) do
    for _, column in ipairs(columns) do if assignment[1] == column then return true end end
  end
  return false
end

-- Assigns columns of a row that meets the guard, and of the rows below or above it that the change goes on to.
local function assign(rows, kindName, kind, key, way, given)
  local row = rows.get(kindName, key)
  if row == nil or not meets(row, way.when, given) then return false end
  rows.put(kindName, key, withChange(row, way.change, given))
  if kind.descent == nil then return true end
  if has(way.change, kind.descent.down) then
    local reached, met, at = { key }, { [key] = true }, 1
    while at <= #reached do
      for _, below in ipairs(rows.keys(kindName, kind.descent.from, reached[at])) do
        local found = rows.get(kindName, below)
        if not met[below] and meets(found, way.when, given) then
          met[below] = true
          rows.put(kindName, below, withChange(found, way.change, given))
          reached[#reached + 1] = below
        end
      end
      at = at + 1
    end
  end
  if has(way.change, kind.descent.up) then
    local met, above = { [key] = true }, row[kind.descent.from]
    while above and not met[above] do
      local found = rows.get(kindName, above)
      if found == nil then break end
      met[above] = true
      rows.put(kindName, above, withChange(found, way.change, given))
      above = found[kind.descent.from]
    end
  end
  return true
end

-- Takes the one way of an event with every row that its columns select.
local function assignAll(rows, kindName, kind, event, given)
  local value = operand(event.by[event.first], given)
  if value == nil then return false end
  local done = false
  for _, key in ipairs(rows.keys(kindName, event.first, value)) do
    local row, meant = rows.get(kindName, key), true
    for column, to in pairs(event.by) do
      local wanted = operand(to, given)
      local free = wanted == nil and type(to) == 'string' and to:sub(-1) == '?'
      if not free and (wanted == nil or row[column] ~= wanted) then meant = false end
    end
    if meant and assign(rows, kindName, kind, key, event.ways[1], given) then done = true end
  end
  return done
end

-- Takes the first way that is open to the row of the command's key.
local function one(rows, kindName, kind, event, given, row)
  local key = keyOf(kind, row or given)
  local stored = rows.get(kindName, key)
  for _, way in ipairs(event.ways) do
    local open
    if way.when == 'absent' then open = stored == nil and row ~= nil and not rows.taken(kindName, kind, row)
    else open = stored ~= nil and meets(stored, way.when, given) end
    if open then
      if way.change == 'remove' then rows.put(kindName, key, nil)
      elseif way.change == 'insert' or way.change == 'replace' then rows.put(kindName, key, row)
      elseif way.change ~= 'nothing' then return assign(rows, kindName, kind, key, way, given) end
      return true
    end
  end
  return false
end

local function commit(keys, args)
  local prefix, mark = keys[1], args[1]
  local seen = mark ~= '' and redis.call('GET', prefix .. 'commit:' .. mark)
  if seen then return seen end
  local rows, result = world(prefix), 'Committed'
  for _, command in ipairs(cjson.decode(args[2])) do
    local kind = kinds[command.t]
    local event = kind.events[command.e]
    local done
    if event.by then done = assignAll(rows, command.t, kind, event, command.g)
    else done = one(rows, command.t, kind, event, command.g, command.r) end
    if not done and event.otherwise ~= 'nothing' then result = 'Conflict' break end
  end
  if result == 'Committed' then
    for _, each in pairs(rows.changed) do
      if each.before ~= each.after then write(prefix, each.kindName, kinds[each.kindName], each.key, each.before, each.after) end
    end
    -- A client that lost the answer and sends again is told what came of it the first time.
    if mark ~= '' then redis.call('SET', prefix .. 'commit:' .. mark, result, 'EX', args[3]) end
  end
  return result
end
`
