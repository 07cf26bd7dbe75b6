-- Asks for one target, with another identifier, which nothing on the site has, in the place of ID each time: found in no cache.
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
