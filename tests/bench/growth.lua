-- Requests one URL after the other, in which NUMBER is replaced by a random number.
-- Arguments: target, smallest number, largest number.

local target, least, greatest

function init(arguments)
  target, least, greatest = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  math.randomseed(20250101)
end

function request()
  return wrk.format("GET", (target:gsub("NUMBER", tostring(math.random(least, greatest)))))
end
