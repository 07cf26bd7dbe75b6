// Where the generators are: below target/, as package-lock.json says, so that the sites beside this file stay as they are.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The clone that the tests are in. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The folder with node_modules, in which sites are built. */
export const workshop = join(repository, "target/generators");

const { resolve } = createRequire(join(workshop, "package.json"));

/** Returns the module that the generators' installation has under this name. */
export async function installed(name) {
  return import(pathToFileURL(resolve(name)));
}
