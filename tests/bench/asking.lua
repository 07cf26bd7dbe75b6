-- Requests one target, in which ID is replaced each time by a random identifier that does not exist on the site: never cached.
-- Arguments: target.

local before, behind

function init(arguments)
  local first, last = arguments[1]:find("ID", 1, true)
  before, behind = arguments[1]:sub(1, first - 1), arguments[1]:sub(last + 1)
  math.randomseed(20250101)
end

function request()
  local id = string.format("%08x%08x%08x", math.random(0, 2 ^ 31 - 1), math.random(0, 2 ^ 31 - 1), math.random(0, 2 ^ 31 - 1))
  return wrk.format("GET", before .. id .. behind)
end
