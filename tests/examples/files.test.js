// The import of the example works, and a second import changes nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { copyOf, succeed } from "./galley.js";

test("each file is imported once", async () => {
  const cwd = await copyOf("files");
  for (const [file, kind] of [
    ["harbour.ghost.2026-01-31.json", "posts"],
    ["members.csv", "members"],
    ["my-hugo-site", "posts"],
  ]) {
    const bring = async () => {
      const stdout = await succeed("galley", ["import", "--quiet", "--json", file], { cwd });
      return JSON.parse(stdout).counts[kind];
    };
    const first = await bring();
    assert.ok(first.added > 0, `${file}: ${JSON.stringify(first)}`);
    const again = await bring();
    assert.deepEqual({ ...again, unchanged: 0 }, { added: 0, updated: 0, unchanged: 0 }, file);
  }
  await succeed("galley", ["key", "create", "--name", "My tool"], { cwd });
  const token = await succeed("sh", ["-c", "galley key list --json | node token.js"], { cwd });
  assert.match(token.trim(), /^[\w-]+\.[\w-]+\.[\w-]+$/);
});
