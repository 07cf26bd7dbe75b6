// The example's script reads a backup that the server wrote: it restores the files and a record of
// each API key.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { copyOf, eventually, start, succeed } from "./galley.js";

test("a backed-up state is read without Galley", async () => {
  const cwd = await copyOf("backups");
  await succeed("galley", ["key", "create", "--name", "Reader", "--data", "data"], { cwd });
  mkdirSync(join(cwd, "data/images"), { recursive: true });
  writeFileSync(join(cwd, "data/images/ferry.svg"), "<svg/>");
  const env = { GALLEY_BACKUP_TO: "backups" };
  const args = ["serve", "--listen", "127.0.0.1:0", "--data", "data", "--no-content"];
  const server = start("galley", args, { cwd, env });
  const states = join(cwd, "backups/states");
  const [state] = await eventually("a state", () => readdirSync(states));
  await server.stop();
  await succeed("python3", ["read_backup.py", "backups", `states/${state}`, "out"], { cwd });
  assert.equal(readFileSync(join(cwd, "out/images/ferry.svg"), "utf8"), "<svg/>");
  const records = readFileSync(join(cwd, "out/records.jsonl"), "utf8").trim().split("\n").map(JSON.parse);
  assert.equal(records.filter(({ table }) => table === "integrations").length, 1);
});
