-- Adds posts, each with a unique title. Arguments: token, body with TITLE as the placeholder of the title, name of the run.

local headers, before, behind, run
local count = 0

function init(arguments)
  headers = { ["Authorization"] = "Ghost " .. arguments[1], ["Content-Type"] = "application/json" }
  local first, last = arguments[2]:find("TITLE", 1, true)
  before, behind = arguments[2]:sub(1, first - 1), arguments[2]:sub(last + 1)
  run = arguments[3]
end

function request()
  count = count + 1
  return wrk.format("POST", nil, headers, before .. "Post " .. count .. " of run " .. run .. behind)
end
