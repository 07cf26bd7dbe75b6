// Checks that the pages of an example contain the documented lines that load Ghost's scripts for readers.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { VERSIONS, fileOf } from "../browser/reader-scripts.js";
import { repository } from "./galley.js";

/** The environment variables that make a build include the scripts in its pages. */
export const environment = { SITE_URL: "https://example.com", READERS_KEY: "KEY" };

/** Returns the lines that the documentation shows. */
const documented = () => readFileSync(join(repository, "docs/members.md"), "utf8").match(/^<script .*$/gm);

/** Fails unless the page contains the documented lines, and these load the tested versions of the files. */
export async function assertScripts(page) {
  const lines = documented();
  assert.equal(lines.length, 3);
  for (const line of lines) {
    assert.ok(page.includes(line), `${line} is missing in ${page}`);
    const [, name, version] = line.match(/@tryghost\/([a-z-]+)@([0-9.]+)\//);
    assert.equal(version, VERSIONS[name]);
    const digest = createHash("sha384").update(await fileOf(name, `${name}.min.js`)).digest("base64");
    assert.ok(line.includes(`integrity="sha384-${digest}"`), `the digest of ${name} is sha384-${digest}`);
  }
}
