// The systemd units: systemd itself checks and rates them, and their commands run in a sandbox like the one that they describe.
//
// systemd cannot be started here, since it needs a whole machine, so bubblewrap replaces it: the same command line runs as an
// unprivileged user, on a read-only system in which only the state directories are writable, with the unit's system call filter
// (system_calls.py). MemoryMax, LimitNOFILE, TasksMax and IPAddressDeny are only checked by systemd-analyze, and not enforced.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
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

/**
 * The highest accepted exposure levels, of 100. systemd calls a level below 20 safe; permission to listen on low ports raises the
 * level.
 */
const EXPOSURE_MAX = 12;
const EXPOSURE_WITH_LOW_PORTS_MAX = 17;

const folder = example("systemd");

/** The folder with all units: those of the example, and those that the `galley service install` commands of the README write. */
const unitFolder = await copyOf("systemd");
const writtenFor = ["service", "install", "--dry-run", "--user", "galley"];
await writeUnit("galley.service", ["--config", join(folder, "galley.toml")]);
await writeFile(join(unitFolder, "domain.toml"), 'data = "/srv/site/data"\ndomain = ["example.com"]\n');
await writeUnit("galley-low-ports.service", ["--config", join(unitFolder, "domain.toml")]);
await writeUnit("galley-of-no-user.service", ["--data", "/var/lib/of-no-user"], writtenFor.slice(0, 3));

const units = [
  "galley.service",
  "galley-low-ports.service",
  "galley-of-no-user.service",
  "galley-backup.service",
  "galley-backup.timer",
  "galley-http.socket",
  "galley-https.socket",
];

/** The installed paths of the program and the script, with their paths on this machine. */
const installed = {
  "/usr/local/bin/galley": program,
  "/usr/local/bin/galley-backup": join(folder, "galley-backup"),
};

/** Writes a unit as `galley service install` does on a machine on which the program and its configuration are installed. */
async function writeUnit(name, options, command = writtenFor) {
  const written = await succeed(program, [...command, ...options]);
  const unit = written
    .replace(/^ExecStart=\S+/m, "ExecStart=/usr/local/bin/galley")
    .replaceAll(`${folder}/galley.toml`, "/etc/galley/galley.toml")
    .replace(/^WorkingDirectory=.*/m, "WorkingDirectory=/")
    // During the tests, the program and these files may be in a home folder or in /tmp.
    .replace(/^(ProtectHome|PrivateTmp)=.*/gm, "$1=yes");
  await writeFile(join(unitFolder, name), unit);
}

/** Returns the settings of a unit, by name. */
async function settingsOf(name) {
  const unit = await readFile(join(unitFolder, name), "utf8");
  return Object.fromEntries([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]));
}

describe("systemd", () => {
  test("the units are valid", async () => {
    // The installed units, except that the programs have other paths here.
    const copy = await newFolder();
    for (const unit of units) {
      let text = await readFile(join(unitFolder, unit), "utf8");
      for (const [path, here] of Object.entries(installed)) text = text.replace(`=${path} `, `=${here} `);
      await writeFile(join(copy, unit), text);
    }
    const files = units.map((unit) => join(copy, unit));
    const verified = await run("systemd-analyze", ["verify", "--man=no", ...files]);
    assert.deepEqual(verified, { code: 0, stdout: "", stderr: "" });
  });

  for (const unit of units.filter((name) => name.endsWith(".service"))) {
    test(`${unit} has a low exposure level`, async () => {
      const most = unit === "galley-low-ports.service" ? EXPOSURE_WITH_LOW_PORTS_MAX : EXPOSURE_MAX;
      const options = ["--offline=true", `--threshold=${most}`, "--no-pager"];
      await succeed("systemd-analyze", ["security", ...options, join(unitFolder, unit)]);
    });
  }

  test("the definition of the service user is valid", async () => {
    const root = await newFolder();
    await mkdir(join(root, "etc"));
    await succeed("systemd-sysusers", [`--root=${root}`, join(folder, "galley.sysusers")]);
    const users = await readFile(join(root, "etc/passwd"), "utf8");
    for (const unit of ["galley.service", "galley-backup.service"]) {
      const { User } = await settingsOf(unit);
      assert.match(users, new RegExp(`^${User}:x:\\d+:\\d+:Galley:/var/lib/galley:`, "m"));
    }
  });
});

describe("the services in their sandbox", () => {
  let state;
  let service;

  before(async () => {
    state = { galley: await newFolder(), "galley-backups": await newFolder() };
    service = await serveInSandbox(state);
  });

  after(() => service?.end());

  test("serves the content folder", async () => {
    const response = await fetch(`${service.url}/ghost/api/content/posts/?key=${service.key}&limit=1`);
    const [post] = (await response.json()).posts;
    assert.equal(post.url, "https://example.com/the-winter-timetable/");
  });

  test("accepts an image and resizes it", async () => {
    // The command `key` connects to the running service through its data folder.
    const create = ["key", "create", "--name", "Images", "--json", "--data", state.galley];
    const keys = JSON.parse(await succeed(program, create));
    const form = new FormData();
    const photo = await readFile(join(sampleSite, "images/night-ferry.png"));
    form.set("file", new File([photo], "ferry.png", { type: "image/png" }));
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

  test("is backed up while it is running, and the oldest backup is removed", async () => {
    const stored = 14;
    const backups = state["galley-backups"];
    const old = Array.from({ length: stored }, (_, day) => `galley-2025-01-${10 + day}T030000Z.zip`);
    for (const name of old) await writeFile(join(backups, name), "");

    const { code, said } = await ended(await startInSandbox("galley-backup.service", state));
    assert.equal(code, 0, said);

    const files = (await readdir(backups)).sort();
    assert.deepEqual(files.slice(0, -1), old.slice(1), "no other files remain");
    const restored = join(await newFolder(), "restored");
    await succeed(program, ["restore", join(backups, files.at(-1)), "--data", restored]);
    const { counts } = JSON.parse(await succeed(program, ["status", "--json", "--data", restored]));
    assert.deepEqual(counts, await service.counts());
  });

  test("stops gracefully", async () => {
    assert.equal(await service.stop(), 0);
  });
});

/**
 * Starts galley.service. `url` and `key` belong to the site; `stop` stops the service as systemd does, and resolves to its exit
 * code.
 */
async function serveInSandbox(state) {
  const started = await startInSandbox("galley.service", state);
  const greeting = /curl '(http:\/\/[^/]+)\/[^']*key=([0-9a-f]+)/;
  const [, url, key] = await eventually("the service to serve", () => greeting.exec(started.said()));
  const stop = async () => {
    process.kill(started.processId(), "SIGTERM");
    return (await ended(started)).code;
  };
  const counts = async () => {
    const status = ["status", "--json", "--data", state.galley];
    return JSON.parse(await succeed(program, status)).counts;
  };
  return { url, key, stop, counts, end: () => started.child.kill("SIGKILL") };
}

async function ended({ child, said }) {
  const code = child.exitCode ?? (await once(child, "close"))[0];
  return { code, said: said() };
}

/** Starts the command of a unit. `state` maps the names of its state directories to folders. */
async function startInSandbox(unit, state) {
  const settings = await settingsOf(unit);
  assert.equal(settings.ProtectSystem, "strict");
  assert.equal(settings.CapabilityBoundingSet, "");
  // The sandbox contains a copy of the content, and otherwise only files that an installed service would have.
  const content = join(await newFolder(), basename(sampleSite));
  await cp(sampleSite, content, { recursive: true });
  const filter = join(await newFolder(), "system-calls.bpf");
  const compile = join(repository, "tests/examples/system_calls.py");
  await succeed("sh", ["-c", '"$1" "$2" > "$3"', "sh", compile, join(unitFolder, unit), filter]);
  const filterFile = openSync(filter);

  const sandbox = [
    ["--ro-bind", "/usr", "/usr"],
    ["--symlink", "usr/bin", "/bin"],
    ["--symlink", "usr/lib", "/lib"],
    ["--symlink", "usr/lib64", "/lib64"],
    ["--tmpfs", "/usr/local/bin"],
    ...Object.entries(installed).map(([path, here]) => ["--ro-bind", here, path]),
    ["--ro-bind", join(folder, "galley.toml"), "/etc/galley/galley.toml"],
    ["--ro-bind", content, "/srv/galley/content"],
    ...settings.StateDirectory.split(" ").map((name) => ["--bind", state[name], `/var/lib/${name}`]),
    ["--tmpfs", "/tmp"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--remount-ro", "/"],
    ["--unshare-all", "--share-net", "--new-session", "--die-with-parent", "--as-pid-1"],
    ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"],
    ["--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin"],
    // The port of the example may be in use on this machine.
    ["--setenv", "GALLEY_LISTEN", "127.0.0.1:0"],
    ["--info-fd", "3", "--seccomp", "4"],
  ];
  const child = spawn("bwrap", [...sandbox.flat(), ...settings.ExecStart.split(" ")], {
    stdio: ["ignore", "pipe", "pipe", "pipe", filterFile],
  });
  closeSync(filterFile);
  let said = "";
  let about = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  child.stdio[3].on("data", (text) => (about += text));
  return { child, said: () => said, processId: () => JSON.parse(about)["child-pid"] };
}
