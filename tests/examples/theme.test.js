// The theme in ten lines: its README shows its files, it passes the check, and it renders the pages of a site.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { copyOf, eventually, example, sampleSite, serve, shownBy, succeed } from "./galley.js";

describe("theme", () => {
  let folder;
  let site;

  before(async () => {
    folder = join(await copyOf("theme"), "ten-lines");
    site = await serve(sampleSite, "--theme", folder);
  });

  after(() => site?.stop());

  test("has ten lines, which its README shows", async () => {
    const readme = await readFile(join(example("theme"), "README.md"), "utf8");
    let lines = 0;
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      lines += text.split("\n").length - 1;
      if (name.endsWith(".hbs")) assert.ok(readme.includes(text), `README.md shows another ${name}`);
    }
    assert.equal(lines, 10);
  });

  test("passes the check, as the README shows", async () => {
    const printed = await succeed("galley", ["theme", "check", folder]);
    const [shown] = await shownBy("theme");
    assert.equal(printed, shown.replace("my-theme", "ten-lines"));
  });

  test("shows lists and posts, and a changed template from the next request on", async () => {
    const home = await (await fetch(`${site.url}/`)).text();
    assert.match(home, /<h2><a href="[^"]*\/the-winter-timetable\/">The winter timetable<\/a><\/h2>/);
    assert.match(home, /<link rel="canonical"/);
    const post = await (await fetch(`${site.url}/the-night-ferry/`)).text();
    assert.match(post, /<h1>The night ferry<\/h1>/);
    await appendFile(join(folder, "post.hbs"), "<p>Written at the harbour.</p>\n");
    await eventually("the saved template", async () => {
      const shown = await (await fetch(`${site.url}/the-night-ferry/`)).text();
      return shown.includes("<p>Written at the harbour.</p>");
    });
  });
});
