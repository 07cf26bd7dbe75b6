#!/bin/sh
# Common requests to Galley, with only curl and openssl. Each recipe can be copied separately. Together, they leave the site
# unchanged, except for an uploaded image.
#
# GHOST_URL                the site's URL
# GHOST_CONTENT_API_KEY    its Content API key
# GHOST_ADMIN_API_KEY      its Admin API key
#
# `galley key create --name Recipes` makes both keys.
set -eu

content=$GHOST_URL/ghost/api/content
admin=$GHOST_URL/ghost/api/admin
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

recipe() { printf '\n== %s\n' "$*"; }

# The options that all recipes share: no progress bar, errors are shown, and an error status makes curl fail.
ask() { curl --silent --show-error --fail-with-body "$@"; }

# --data-urlencode encodes a parameter for URLs: the + of a filter becomes %2B.
read_content() {
  path=$1
  shift
  ask --get "$content/$path" --data-urlencode "key=$GHOST_CONTENT_API_KEY" "$@"
}

# Prints the first value of a field in the JSON on standard input: field id. (A program would parse the JSON; jq works, too.)
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# Prints a token for the Admin API, valid for five minutes: a JSON Web Token, signed with the bytes of the key's second part.
admin_token() {
  now=$(date +%s)
  head=$(printf '{"alg":"HS256","typ":"JWT","kid":"%s"}' "${GHOST_ADMIN_API_KEY%%:*}" | base64url)
  claims=$(printf '{"iat":%s,"exp":%s,"aud":"/admin/"}' "$now" "$((now + 300))" | base64url)
  signature=$(printf '%s.%s' "$head" "$claims" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:${GHOST_ADMIN_API_KEY#*:}" -binary | base64url)
  printf '%s.%s.%s' "$head" "$claims" "$signature"
}

# Sends a request to the Admin API: admin METHOD PATH [OPTIONS OF CURL].
admin() {
  method=$1
  path=$2
  shift 2
  ask --request "$method" --header "Authorization: Ghost $(admin_token)" "$admin/$path" "$@"
}
json='Content-Type: application/json'

recipe 'The three newest posts, with two fields of each'
read_content posts/ --data limit=3 --data fields=title,url
echo

recipe 'Posts with one of two tags that are not featured, oldest first'
read_content posts/ --data-urlencode 'filter=tag:[kitchen,people]+featured:false' \
  --data-urlencode 'order=published_at asc' --data fields=title
echo

recipe 'The second page of five'
read_content posts/ --data limit=5 --data page=2 --data fields=title
echo

recipe 'One post by its slug, with tags and authors'
slug=$(read_content posts/ --data limit=1 --data fields=slug | field slug)
read_content "posts/slug/$slug/" --data include=tags,authors --data fields=title,slug
echo

recipe 'Request it again, and get the response only if it has changed'
read_content posts/ --output "$scratch/posts.json" --dump-header "$scratch/head"
etag=$(tr -d '\r' < "$scratch/head" | sed -n 's/^[Ee][Tt]ag: //p')
read_content posts/ --header "If-None-Match: $etag" --output /dev/null --write-out '%{http_code}, %{size_download} bytes\n'

recipe 'The same response, plain and compressed'
read_content posts/ --output /dev/null --write-out 'plain: %{size_download} bytes\n'
read_content posts/ --header 'Accept-Encoding: br, gzip' --output /dev/null --write-out 'compressed: %{size_download} bytes\n'

recipe 'What changed: the revision to continue from'
read_content changes/ --data limit=1000 > "$scratch/changes.json"
revision=$(grep -o '"revision":[0-9]*,"reset"' "$scratch/changes.json" | tr -cd '0-9')
echo "revision $revision, $(grep -o '"resource"' "$scratch/changes.json" | wc -l) records"

recipe 'Authenticate: a token that openssl signs'
admin GET site/
echo

recipe 'A draft, from HTML'
admin POST posts/?source=html --header "$json" \
  --data '{"posts": [{"title": "Written with curl", "html": "<p>Good <b>morning</b>.</p>"}]}' \
  > "$scratch/draft.json"
id=$(field id < "$scratch/draft.json")
seen=$(field updated_at < "$scratch/draft.json")
echo "$(field status < "$scratch/draft.json") $id, changed $seen"

recipe 'Publish it: a change includes the updated_at of the version that it changes'
admin PUT "posts/$id/" --header "$json" --output /dev/null \
  --data "{\"posts\": [{\"updated_at\": \"$seen\", \"status\": \"published\"}]}"
read_content "posts/$id/" --data fields=url,html
echo

recipe 'A change of an older version gets a 409, and nothing is lost'
admin PUT "posts/$id/" --header "$json" --output "$scratch/collision.json" --write-out '%{http_code} ' \
  --data "{\"posts\": [{\"updated_at\": \"$seen\", \"title\": \"Too late\"}]}" 2> /dev/null || true
field type < "$scratch/collision.json"

recipe 'What changed since'
read_content changes/ --data "since=$revision"
echo

recipe 'An image'
admin POST images/upload/ --form "file=@$here/harbour.png" --form ref=cover
echo

recipe 'A webhook: a build server is notified when the site changes'
admin POST webhooks/ --header "$json" \
  --data '{"webhooks": [{"event": "site.changed", "target_url": "https://build.example/hook", "name": "Build"}]}' \
  > "$scratch/webhook.json"
webhook=$(field id < "$scratch/webhook.json")
echo "$webhook gets $(field event < "$scratch/webhook.json")"

recipe 'Tidy up: the webhook and the post'
admin DELETE "webhooks/$webhook/" --output /dev/null --write-out '%{http_code}\n'
admin DELETE "posts/$id/" --output /dev/null --write-out '%{http_code}\n'
