// Clients from PyPI. The tests of each client are written in Python, in python/, and run on a separate Galley.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { forAutomations, noContent, serve } from "./galley.js";

const python = fileURLToPath(new URL("../../target/client-tools/python/bin/python", import.meta.url));
const cwd = fileURLToPath(new URL("python", import.meta.url));

describe("clients in Python", () => {
  for (const client of ["aioghost", "edwh_ghost", "pyghost"]) {
    test(client, async () => {
      const galley = await serve(noContent, ...forAutomations);
      try {
        const { adminKey, contentKey } = await galley.setUp("Programs");
        const env = { GHOST_URL: galley.url, GHOST_CONTENT_API_KEY: contentKey, GHOST_ADMIN_API_KEY: adminKey };
        const program = promisify(execFile)(python, ["-B", "-m", "unittest", `test_${client}`], { cwd, env });
        const { stderr } = await program.catch((error) => assert.fail(error.stderr));
        assert.match(stderr, /^Ran [1-9]\d* tests/m);
      } finally {
        await galley.stop();
      }
    });
  }
});
