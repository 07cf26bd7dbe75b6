// Tests the image as far as is possible without Docker and without downloading images.
//
// A linter checks the Dockerfile; the files that it copies exist and are all that the build needs; the command of the image runs
// with its variables, user and health check in a sandbox with the image's folders.
//
// The build command with --target x86_64-unknown-linux-musl is tested by hand and not here, because it builds everything a second
// time. It produces a static program (ldd: "statically linked"), which serves the sample site and accepts the requests of
// examples/curl in a root directory without other files.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";

import {
  eventually,
  example,
  newFolder,
  program,
  repository,
  run,
  sampleSite,
  start,
  succeed,
} from "./galley.js";
import { pythonEnvironment } from "./python_environment.js";

const folder = example("docker");
const file = join(folder, "Dockerfile");
const stages = await readStages();

/** Returns the instructions of each stage, in order, as pairs of a keyword and its arguments. */
async function readStages() {
  const text = (await readFile(file, "utf8")).replace(/^#.*\n/gm, "").replace(/\\\n/g, " ");
  const instructions = [...text.matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, word, rest]) => [word, rest]);
  const found = [];
  for (const instruction of instructions) {
    if (instruction[0] === "FROM") found.push([]);
    found.at(-1).push(instruction);
  }
  return found;
}

/** Returns the arguments of each instruction `word` in the last stage. */
function inImage(word) {
  return stages.at(-1).flatMap(([name, rest]) => (name === word ? [rest] : []));
}

/** Returns the paths that the build copies from the repository. */
function copied() {
  return stages.flatMap((instructions) =>
    instructions
      .filter(([word, rest]) => word === "COPY" && !rest.includes("--from="))
      .flatMap(([, rest]) => rest.split(/\s+/).slice(0, -1)),
  );
}

describe("the Dockerfile", () => {
  test("passes the linter", async () => {
    const requirements = join(repository, "tests/examples/requirements.txt");
    const programs = await pythonEnvironment("linters", requirements);
    const outcome = await run(join(programs, "hadolint"), [file, join(folder, "release.Dockerfile")]);
    assert.deepEqual(outcome, { code: 0, stdout: "", stderr: "" });
  });

  test("copies existing files that .dockerignore includes", async () => {
    const ignored = await readFile(`${file}.dockerignore`, "utf8");
    const rules = ignored.split("\n").filter((line) => line && !line.startsWith("#"));
    assert.equal(rules[0], "*", "only listed paths are included");
    const letThrough = rules.slice(1).map((rule) => rule.replace(/^!/, ""));
    assert.deepEqual(copied().sort(), letThrough.sort());
    for (const path of copied()) assert.ok(existsSync(join(repository, path)), path);
  });

  test("copies all files that the build reads", async () => {
    const context = await newFolder();
    for (const path of copied()) {
      await mkdir(dirname(join(context, path)), { recursive: true });
      await cp(join(repository, path), join(context, path), { recursive: true });
    }
    const metadata = ["metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"];
    const built = async (cwd) => {
      const { packages } = JSON.parse(await succeed("cargo", metadata, { cwd }));
      const galley = packages.find(({ name }) => name === "galley");
      const needed = galley.targets.filter(({ kind }) => !["test", "bench", "example"].includes(kind[0]));
      return needed.map(({ kind, name }) => `${kind} ${name}`);
    };
    const there = await built(context);
    assert.ok(there.includes("bin galley"));
    assert.deepEqual(there, await built(repository));

    // Files that the Rust code includes.
    let count = 0;
    for (const path of await readdir(join(context, "src"), { recursive: true })) {
      if (!path.endsWith(".rs")) continue;
      const source = join(context, "src", path);
      for (const [, included] of (await readFile(source, "utf8")).matchAll(/include_(?:str|bytes)!\(\s*"([^"]+)"/g)) {
        count += 1;
        assert.ok(existsSync(resolve(dirname(source), included)), `src/${path} includes ${included}`);
      }
    }
    assert.ok(count > 0);
  });

  test("both images start in the same way", () => {
    const withGit = stages.find(([[, from]]) => from.endsWith(" AS with-git"));
    for (const word of ["USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"]) {
      const there = withGit.filter(([name]) => name === word).map(([, rest]) => rest);
      assert.deepEqual(there, inImage(word), word);
    }
  });
});

describe("the command of the image", () => {
  let container;
  let key;
  let url;

  before(async () => {
    container = await containerLike();
    const greeting = /curl '(http:\/\/[^/]+)\/[^']*key=([0-9a-f]+)/;
    const running = container.start();
    const greeted = await eventually("the server in the image", () => greeting.exec(running.said()));
    [, url, key] = greeted;
    container.running = running;
  });

  after(() => container.running?.stop());

  test("serves the mounted content folder", async () => {
    const response = await fetch(`${url}/ghost/api/content/posts/?key=${key}&limit=1`);
    assert.equal((await response.json()).posts[0].slug, "the-winter-timetable");
  });

  test("passes its health check", async () => {
    const { code, stdout, stderr } = await container.checkHealth();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The Eskerry Letter: served by /);
  });
});

/** Returns a sandbox like the container of the last stage: `start` starts it, `checkHealth` runs its health check. */
async function containerLike() {
  const data = await newFolder();
  const user = inImage("USER")[0].split(":")[0];
  const variables = inImage("ENV").flatMap((rest) => rest.split(" "));
  const [entry, ...command] = [...JSON.parse(inImage("ENTRYPOINT")[0]), ...JSON.parse(inImage("CMD")[0])];
  const health = JSON.parse(inImage("HEALTHCHECK")[0].replace(/^.*CMD /, ""));
  const sandbox = [
    ["--ro-bind", program, entry],
    ["--bind", data, inImage("VOLUME")[0]],
    ["--ro-bind", sampleSite, "/content"],
    // The program in the image is static; the tested one needs the libraries of this machine.
    ["--ro-bind", "/usr/lib", "/usr/lib"],
    ["--symlink", "usr/lib", "/lib"],
    ["--symlink", "usr/lib64", "/lib64"],
    ["--ro-bind-try", "/usr/lib64", "/usr/lib64"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--remount-ro", "/"],
    ["--unshare-user", "--uid", user, "--gid", user, "--cap-drop", "ALL", "--die-with-parent"],
    ["--clearenv"],
    ...variables.map((variable) => ["--setenv", ...variable.split("=")]),
    // The image's port may be in use on this machine.
    ["--setenv", "GALLEY_LISTEN", "127.0.0.1:0"],
  ].flat();
  return {
    start: () => start("bwrap", [...sandbox, entry, ...command]),
    checkHealth: () => run("bwrap", [...sandbox, ...health]),
  };
}

describe("the compose file", () => {
  test("builds and mounts existing paths", async () => {
    const { services, volumes } = parse(await readFile(join(folder, "compose.yaml"), "utf8"));
    const { context, dockerfile } = services.galley.build;
    assert.equal(resolve(folder, context), resolve(repository));
    assert.equal(resolve(folder, context, dockerfile), file);
    for (const { volumes: mounted } of Object.values(services)) {
      for (const [source] of mounted.map((mount) => mount.split(":"))) {
        const isThere = source.startsWith(".") ? existsSync(join(folder, source)) : source in volumes;
        assert.ok(isThere, source);
      }
    }
  });

  test("Caddy's configuration names the address of Galley", async () => {
    const { services } = parse(await readFile(join(folder, "compose.yaml"), "utf8"));
    assert.equal(services.galley.network_mode, "service:caddy");
    const caddyfile = services.caddy.volumes.find((mount) => mount.includes("Caddyfile")).split(":")[0];
    const configuration = await readFile(join(folder, caddyfile), "utf8");
    const { GALLEY_LISTEN, GALLEY_URL } = services.galley.environment;
    assert.ok(configuration.includes(`reverse_proxy ${GALLEY_LISTEN}`));
    assert.match(configuration, new RegExp(`^${new URL(GALLEY_URL).host} {`, "m"));
  });
});
