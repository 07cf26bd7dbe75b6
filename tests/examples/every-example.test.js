// Every example has a README, is listed, and is run by a test.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { example, repository } from "./galley.js";

const overview = readFileSync(join(repository, "examples/README.md"), "utf8");

for (const entry of readdirSync(join(repository, "examples"), { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const { name } = entry;
  test(`${name} is explained, listed and run`, () => {
    assert.ok(existsSync(join(example(name), "README.md")), `examples/${name}/README.md is missing`);
    assert.ok(overview.includes(`| [${name}](${name}/) |`), `examples/README.md does not list ${name}`);
    const itsTest = `tests/examples/${name}.test.js`;
    assert.ok(existsSync(join(repository, itsTest)), `${itsTest} is missing`);
  });
}
