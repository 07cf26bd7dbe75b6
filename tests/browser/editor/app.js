// Ghost's admin app, installed with the usual command. The installation is shared by all test files
// and runs.
//
// When run as a program, this file installs the app, so that concurrent test files find it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { program, repository, run } from "../../examples/galley.js";

const cache = join(repository, "target/editor");

/** The folder of the app. */
export const app = join(cache, "admin-app");

/** Installs the app unless the same build of Galley has already installed it. */
async function install() {
  const mark = join(cache, "installed-by");
  const digest = createHash("sha256").update(await readFile(program)).digest("hex");
  const installed = await readFile(mark, "utf8").catch(() => "");
  if (installed === digest) return;
  await mkdir(cache, { recursive: true });
  const source = process.env.GHOST_PACKAGE ? ["--from", process.env.GHOST_PACKAGE] : [];
  const { code, stdout, stderr } = await run(program, ["admin", "install", "--data", cache, ...source], { seconds: 600 });
  assert.equal(code, 0, stderr);
  console.log(stdout.trim());
  await writeFile(mark, digest);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install();
