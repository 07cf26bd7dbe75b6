#!/bin/sh
# Creates in a folder: site.git, a bare repository whose hook notifies Galley of every push; galley.toml, the configuration for
# following it; and site, a working copy with a first post.
#
# usage: sh set-up.sh FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
folder=$(pwd)
secret=$(openssl rand -hex 32)

git init --quiet --bare --initial-branch=main site.git
git --git-dir site.git config galley.url http://127.0.0.1:2368
git --git-dir site.git config galley.secret "$secret"
install -m 755 "$here/post-receive" site.git/hooks/post-receive

(umask 077 && cat > galley.toml) << TOML
[source.git]
url = "file://$folder/site.git"
secret = "$secret"
# The hook reports every push. If it fails, Galley finds the push within an hour.
interval = 3600
TOML

git clone --quiet site.git site 2> /dev/null
cp -R "$here/texts/." site
git -C site add .
git -C site -c user.name="${USER:-me}" -c user.email="${USER:-me}@localhost" commit --quiet --message 'The first text'
git -C site push --quiet origin HEAD:main

echo "Serve it:   cd $folder && galley serve"
echo "Change it:  in $folder/site, commit and push"
