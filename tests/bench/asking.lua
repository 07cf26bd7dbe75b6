-- Asks for one target. Where that says ID, each request has another identifier, which nothing on the site has: found in no
-- cache. Arguments: target, and "gzip" for packed answers.

local target, headers

function init(arguments)
  target = arguments[1]
  headers = arguments[2] == "gzip" and { ["Accept-Encoding"] = "gzip" } or {}
  math.randomseed(20250101)
end

function request()
  local asked = target:gsub("ID", function()
    return string.format("%08x%08x%08x", math.random(0, 2 ^ 31 - 1), math.random(0, 2 ^ 31 - 1), math.random(0, 2 ^ 31 - 1))
  end)
  return wrk.format("GET", asked, headers)
end
