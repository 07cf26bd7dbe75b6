-- Asks for one address after the other, with a number at random in the place of NUMBER.
-- Arguments: target, least number, greatest number.

local target, least, greatest

function init(arguments)
  target, least, greatest = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  math.randomseed(20250101)
end

function request()
  return wrk.format("GET", (target:gsub("NUMBER", tostring(math.random(least, greatest)))))
end
