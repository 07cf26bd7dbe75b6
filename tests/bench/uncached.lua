-- Each request is for a different list: the posts of a tag, filtered by an identifier that no post
-- has.
-- Served by the index of the tag, and never cached.

local chance = 20250101

function init(arguments)
  key, tags, pages = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  math.randomseed(chance)
end

function request()
  local id = {}
  for digit = 1, 24 do
    id[digit] = string.format("%x", math.random(0, 15))
  end
  return wrk.format(
    "GET",
    string.format(
      "/ghost/api/content/posts/?key=%s&include=tags,authors&limit=15&page=%d&filter=tag:t%d%%2Bid:-%s",
      key,
      math.random(pages),
      math.random(0, tags - 1),
      table.concat(id)
    )
  )
end
