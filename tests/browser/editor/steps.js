// The steps of a session in the app. Each step is a test.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { repository } from "../../examples/galley.js";

/** The folder for screenshots of failed steps. */
const screenshots = join(repository, "target/editor/failures");

/**
 * Returns a function that runs a step: it calls `before`, and then `act` with the result of `visitor()` and that visitor's page.
 * A step fails if a problem occurs that does not match a pattern in `allowed`.
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
        await mkdir(screenshots, { recursive: true });
        const path = join(screenshots, `${name.replace(/\W+/g, "-")}.png`);
        await visitor().page.screenshot({ path }).catch(() => console.log(`no screenshot of ${name}`));
        for (const problem of visitor().watched.problems.splice(0)) console.log(`problem before the failure of ${name}: ${problem}`);
        throw error;
      }
    });
}
