// The units of systemd: systemd itself reads and judges them, and what they start runs in a sandbox like the one that they
// describe.
//
// No systemd can be started here (that needs a machine, not a process), so bubblewrap stands in for it: the same command line
// as a user without rights, on a read-only system in which the state directory alone can be written to, with the filter of
// system calls that the unit asks for (system_calls.py). MemoryMax, LimitNOFILE and TasksMax are read by systemd-analyze and
// not put in force.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  adminToken,
  copyOf,
  eventually,
  example,
  newFolder,
  program,
  repository,
  run,
  sampleSite,
  succeed,
} from "./galley.js";

/** Highest exposure that is let pass, of 100; below 20 systemd calls a service safe. */
const EXPOSURE_MAX = 12;

const folder = example("systemd");
const unit = await readFile(join(folder, "galley.service"), "utf8");

function setting(name) {
  const values = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))];
  assert.equal(values.length, 1, `${name} stands in the unit once`);
  return values[0][1];
}

describe("systemd", () => {
  test("systemd understands the units", async () => {
    // As it is installed, but for the program, which is elsewhere here.
    const copy = await copyOf("systemd");
    const file = join(copy, "galley.service");
    await writeFile(file, unit.replace("/usr/local/bin/galley", program));
    const verified = await run("systemd-analyze", ["verify", "--man=no", file]);
    assert.deepEqual(verified, { code: 0, stdout: "", stderr: "" });
  });

  test("systemd finds little that the service is exposed to", async () => {
    const options = ["--offline=true", `--threshold=${EXPOSURE_MAX}`, "--no-pager"];
    await succeed("systemd-analyze", ["security", ...options, join(folder, "galley.service")]);
  });

  test("the user of the service is described as systemd wants it", async () => {
    const root = await newFolder();
    await mkdir(join(root, "etc"));
    await succeed("systemd-sysusers", [`--root=${root}`, join(folder, "galley.sysusers")]);
    const users = await readFile(join(root, "etc/passwd"), "utf8");
    assert.match(users, new RegExp(`^${setting("User")}:x:\\d+:\\d+:Galley:/var/lib/galley:`, "m"));
  });
});

describe("what the unit starts, in its sandbox", () => {
  let service;

  before(async () => {
    service = await startInSandbox();
  });

  after(() => service.end());

  test("it serves the content folder", async () => {
    const response = await fetch(`${service.url}/ghost/api/content/posts/?key=${service.key}&limit=1`);
    const [post] = (await response.json()).posts;
    assert.equal(post.url, "https://example.com/the-winter-timetable/");
  });

  test("it takes a picture, and makes it smaller", async () => {
    // A command of the operator's reaches the service through its data folder.
    const create = ["key", "create", "--name", "Pictures", "--json", "--data", service.state];
    const keys = JSON.parse(await succeed(program, create));
    const form = new FormData();
    const picture = await readFile(join(sampleSite, "images/night-ferry.png"));
    form.set("file", new File([picture], "ferry.png", { type: "image/png" }));
    const upload = await fetch(`${service.url}/ghost/api/admin/images/upload/`, {
      method: "POST",
      headers: { Authorization: `Ghost ${adminToken(keys.admin_key)}` },
      body: form,
    });
    assert.equal(upload.status, 201);
    const path = new URL((await upload.json()).images[0].url).pathname;
    for (const served of [path, path.replace("/images/", "/images/size/w300/format/webp/")]) {
      assert.equal((await fetch(service.url + served)).status, 200, served);
    }
  });

  test("it stops as systemd stops it", async () => {
    assert.equal(await service.stop(), 0);
  });
});

/**
 * Starts what the unit starts. `url` and `key` are those of the site, `state` is the state directory as it is outside. `stop`
 * does what systemd does, and answers with the exit code.
 */
async function startInSandbox() {
  assert.equal(setting("ProtectSystem"), "strict");
  assert.equal(setting("CapabilityBoundingSet"), "");
  const state = await newFolder();
  // Outside of the copy nothing may be read that the service would not have.
  const content = join(await newFolder(), "content");
  await cp(sampleSite, content, { recursive: true });
  const filter = join(await newFolder(), "system-calls.bpf");
  const service = join(folder, "galley.service");
  const compile = join(repository, "tests/examples/system_calls.py");
  await succeed("sh", ["-c", '"$1" "$2" > "$3"', "sh", compile, service, filter]);
  const filterFile = openSync(filter);

  const [executable, ...words] = setting("ExecStart").split(" ");
  const sandbox = [
    ["--ro-bind", "/usr", "/usr"],
    ["--symlink", "usr/bin", "/bin"],
    ["--symlink", "usr/lib", "/lib"],
    ["--symlink", "usr/lib64", "/lib64"],
    ["--tmpfs", "/usr/local/bin"],
    ["--ro-bind", program, executable],
    ["--ro-bind", join(folder, "galley.toml"), "/etc/galley/galley.toml"],
    ["--ro-bind", content, "/srv/galley/content"],
    ["--bind", state, `/var/lib/${setting("StateDirectory")}`],
    ["--tmpfs", "/tmp"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--remount-ro", "/"],
    ["--unshare-all", "--share-net", "--new-session", "--die-with-parent", "--as-pid-1"],
    ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"],
    // The port of the example may be taken on this machine.
    ["--clearenv", "--setenv", "GALLEY_LISTEN", "127.0.0.1:0"],
    ["--info-fd", "3", "--seccomp", "4"],
  ];
  const child = spawn("bwrap", [...sandbox.flat(), executable, ...words], {
    stdio: ["ignore", "pipe", "pipe", "pipe", filterFile],
  });
  closeSync(filterFile);
  let said = "";
  let about = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  child.stdio[3].on("data", (text) => (about += text));
  let code = null;
  const ended = once(child, "exit").then(([exit, signal]) => (code = exit ?? signal));

  const greeting = /curl '(http:\/\/[^/]+)\/[^']*key=([0-9a-f]+)/;
  const [, url, key] = await eventually("the service to serve", () => {
    assert.equal(code, null, `it ended with ${code}: ${said}`);
    return greeting.exec(said);
  });
  const stop = () => {
    process.kill(JSON.parse(about)["child-pid"], "SIGTERM");
    return ended;
  };
  const end = () => child.kill("SIGKILL");
  return { url, key, state, stop, end };
}
