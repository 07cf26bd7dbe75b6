// The unchanged set-up of the example: a push to a bare repository is live immediately, unless its webhook has a wrong signature
// or a document is invalid.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  eventually,
  example,
  freePort,
  newFolder,
  run,
  shownBy,
  start,
  succeed,
} from "./galley.js";

/** The longest time from the start of a push until the new text is served, in milliseconds. */
const PUSH_TO_LIVE_MS_MAX = 2000;

describe("a push to a bare repository", () => {
  let folder;
  let url;
  let key;
  let galley;

  before(async () => {
    folder = await newFolder();
    await succeed("sh", [join(example("git-push-to-live"), "set-up.sh"), folder]);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await git("--git-dir", "site.git", "config", "galley.url", url);
    galley = start("galley", ["serve"], { cwd: folder, env: { GALLEY_LISTEN: `127.0.0.1:${port}` } });
    const greeting = await eventually("Galley to serve", () => /key=([0-9a-f]+)/.exec(galley.said()));
    key = greeting[1];
  });

  after(() => galley?.stop());

  const git = (...words) => succeed("git", words, { cwd: folder });

  /** Commits the text and pushes it. Returns the output of the push. */
  async function push(name, text, message) {
    await writeFile(join(folder, "site/posts", name), text);
    await git("-C", "site", "add", "--all");
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    await git("-C", "site", ...author, "commit", "--quiet", "--message", message);
    const { code, stderr } = await run("git", ["-C", "site", "push", "origin", "HEAD:main"], { cwd: folder });
    assert.equal(code, 0, stderr);
    return stderr;
  }

  async function posts() {
    const response = await fetch(`${url}/ghost/api/content/posts/?key=${key}&formats=plaintext`);
    return (await response.json()).posts;
  }

  const titles = async () => (await posts()).map((post) => post.title);
  const text = (title) => `+++\ntitle = "${title}"\ndate = 2026-02-01\n+++\n\nPushed.\n`;

  test("serves the first commit", async () => {
    assert.deepEqual(await titles(), ["Hello"]);
  });

  test("is live within two seconds", async () => {
    const started = Date.now();
    const printed = await push("two.md", text("Two"), "Report two");
    assert.match(printed, /Galley was notified of refs\/heads\/main/);
    await eventually("the post", async () => (await titles()).includes("Two"));
    const took = Date.now() - started;
    assert.ok(took < PUSH_TO_LIVE_MS_MAX, `it took ${took} ms`);
  });

  test("an invalid commit is rejected, and galley status shows the reason", async () => {
    const hello = "2026-01-05-hello.md";
    const whole = await readFile(join(folder, "site/posts", hello), "utf8");
    await push(hello, whole.replace('"Hello"', "Hello"), "Lose the quotes");
    const status = () => succeed("galley", ["status"], { cwd: folder });
    const said = await eventually("the refusal of the commit", async () => {
      const report = await status();
      return report.includes("Lose the quotes") && report;
    });
    assert.match(said, /^Serving commit [0-9a-f]+ of .* by Ada: Report two$/m);
    assert.match(said, /^Refused commit [0-9a-f]+ of .* by Ada: Lose the quotes$/m);
    const shown = (await shownBy("git-push-to-live"))[1];
    assert.ok(said.includes(shown.slice(shown.indexOf("error:"))), "the README shows the actual output");
    assert.deepEqual((await titles()).sort(), ["Hello", "Two"]);

    await push(hello, whole.replace('"Hello"', '"Hello again"'), "Fix it");
    await eventually("the corrected post", async () => (await titles()).includes("Hello again"));
    // The status is updated after the commit is served.
    await eventually("the status without the refusal", async () => !(await status()).includes("Lose the quotes"));
  });

  test("an unsigned webhook is rejected", async () => {
    await git("--git-dir", "site.git", "config", "galley.secret", "somebody else's");
    const printed = await push("three.md", text("Three"), "Report three");
    assert.match(printed, /Galley responded with 401/);
    assert.ok(!(await titles()).includes("Three"));
    assert.equal(await succeed("galley", ["sync"], { cwd: folder }).then(() => "synced"), "synced");
    assert.ok((await titles()).includes("Three"), "`galley sync` serves it");
  });

  test("a push during downtime is served after the next start", async () => {
    assert.equal(await galley.stop(), 0);
    const printed = await push("four.md", text("Four"), "Report four");
    assert.match(printed, /Galley does not respond at /);
    galley = start("galley", ["serve"], { cwd: folder, env: { GALLEY_LISTEN: new URL(url).host } });
    await eventually("the post", async () => (await titles()).includes("Four"));
  });
});
