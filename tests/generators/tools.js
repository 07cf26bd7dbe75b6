// The installation of the generators: below target/, with the versions of package-lock.json, so that the sites next to this file
// are unchanged.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The repository of the tests. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The folder with node_modules, in which sites are built. */
export const workshop = join(repository, "target/generators");

const { resolve } = createRequire(join(workshop, "package.json"));

/** Imports the module of this name from the installation of the generators. */
export async function installed(name) {
  return import(pathToFileURL(resolve(name)));
}
