-- Asks for what readers ask for: lists, posts, settings and tags, cached and never asked for before, compressed or not.
-- Arguments: the Content API key, how many posts there are, and the first that no file of which is taken away.

local targets, posts, first = {}, 0, 0

function init(arguments)
  local key = arguments[1]
  posts, first = tonumber(arguments[2]), tonumber(arguments[3])
  local content = "/ghost/api/content/"
  targets = {
    function() return content .. "posts/?key=" .. key .. "&include=tags,authors&limit=15" end,
    function() return content .. "posts/?key=" .. key .. "&limit=15&page=" .. math.random(posts / 15) end,
    function() return content .. "posts/?key=" .. key .. "&limit=15&filter=slug:-" .. math.random(2 ^ 31 - 1) end,
    function() return content .. "posts/slug/post-" .. math.random(first, posts - 1) .. "/?key=" .. key .. "&include=authors" end,
    function() return content .. "settings/?key=" .. key end,
    function() return content .. "tags/?key=" .. key .. "&include=count.posts&limit=50" end,
  }
  math.randomseed(os.time())
end

function request()
  local encodings = { "identity", "gzip", "br" }
  return wrk.format("GET", targets[math.random(#targets)](), { ["Accept-Encoding"] = encodings[math.random(#encodings)] })
end
