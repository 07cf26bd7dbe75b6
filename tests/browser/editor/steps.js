// The steps of a session in the app, one test each.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { repository } from "../../examples/galley.js";

/** The folder for screenshots of failed steps. */
const photos = join(repository, "target/editor/failures");

/**
 * Runs a step: `act` gets the result of `visitor()` after `before`, and that visitor's page. Afterwards, no problems may have
 * occurred except for those that `allowed` names.
 */
export function stepOf(visitor) {
  return (name, act, { allowed = [], before = () => undefined } = {}) =>
    test(name, async () => {
      await before();
      try {
        await act(visitor(), visitor().page);
        await visitor().settle();
        visitor().watched.check(allowed);
      } catch (error) {
        await mkdir(photos, { recursive: true });
        const path = join(photos, `${name.replace(/\W+/g, "-")}.png`);
        await visitor().page.screenshot({ path }).catch(() => console.log(`no photo of ${name}`));
        for (const problem of visitor().watched.problems.splice(0)) console.log(`before ${name} failed: ${problem}`);
        throw error;
      }
    });
}
