// A new server in five lines. The lines run unchanged, as root, on a copy of this machine's folders in an isolated network.
// systemd does not run there: calls of `systemctl` are recorded, and the command of the unit is started as the unit's user.

import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { example, newFolder, program, run } from "./galley.js";

/** Stubs of programs that test machines lack: `sudo` without a terminal, and a `systemctl` that accepts all commands. */
const stubs = {
  sudo: '#!/bin/sh\nif [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi\nexec "$@"\n',
  // No socket unit is enabled.
  systemctl: '#!/bin/sh\n[ "$1" != is-enabled ] && echo "$@" >>"$SYSTEMCTL_CALLS"\n',
};

/** Returns the script that runs in the namespaces: the lines of the README, then the service until it has served the site. */
const script = (lines) => `
set -e
ip link set lo up
mount -t tmpfs tmpfs /srv
mount -t tmpfs tmpfs /usr/local/bin
cp -a /etc "$PLACE/etc"
mount --bind "$PLACE/etc" /etc
cd "$PLACE/home"
${lines}
command=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/galley.service)
cd "$(sed -n 's/^WorkingDirectory=//p' /etc/systemd/system/galley.service)"
user=$(sed -n 's/^User=//p' /etc/systemd/system/galley.service)
grep -q '^AmbientCapabilities=CAP_NET_BIND_SERVICE$' /etc/systemd/system/galley.service
setpriv --reuid "$user" --regid "$user" --init-groups --inh-caps=-all,+net_bind_service --ambient-caps=-all,+net_bind_service $command &
service=$!
for attempt in $(seq 100); do
  curl --silent --fail --header 'Host: example.com' http://127.0.0.1/ >"$PLACE/home.html" && break
  sleep 0.1
done
kill "$service"
wait "$service" || true
`;

describe("vps", () => {
  test("five lines install Galley, create the site, and serve it at its domain", async () => {
    const place = await newFolder();
    const readme = await readFile(join(example("vps"), "README.md"), "utf8");
    const [lines] = /(?<=^```sh\n).*?(?=^```$)/ms.exec(readme);
    assert.equal(lines.trimEnd().split("\n").length, 5);

    const release = "galley-0.0.0-x86_64-unknown-linux-musl";
    const home = join(place, "home");
    const prepared = await run("sh", ["-e", "-c", `
      mkdir -p "$0/stubs" "$0/home/${release}"
      chmod 755 "$0" "$0/home"
      cp "$1" "$0/home/${release}/galley"
      cd "$0/home"
      tar czf ${release}.tar.gz ${release}
      rm -r ${release}
    `, place, program]);
    assert.equal(prepared.code, 0, prepared.stderr);
    for (const [name, text] of Object.entries(stubs)) {
      await writeFile(join(place, "stubs", name), text);
      await chmod(join(place, "stubs", name), 0o755);
    }

    const asRoot = process.getuid() === 0 ? [] : ["sudo", "--preserve-env"];
    const calls = join(place, "calls");
    const env = { PLACE: place, SYSTEMCTL_CALLS: calls, PATH: `${place}/stubs:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin` };
    const [command, ...rest] = [...asRoot, "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", script(lines)];
    const { code, stdout, stderr } = await run(command, rest, { cwd: home, env, seconds: 90 });

    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /signs in as ada@example\.com with the password /);
    assert.match(stdout, /galley\.service runs, and starts with the machine\./);
    const asked = (await readFile(calls, "utf8")).split("\n");
    assert.deepEqual(asked.filter((call) => /^(enable|restart)/.test(call)), ["enable galley.service", "restart galley.service"]);
    const html = await readFile(join(place, "home.html"), "utf8");
    assert.match(html, /<title>My site<\/title>/);
    assert.match(html, /href="https:\/\/example\.com\//);
  });
});
