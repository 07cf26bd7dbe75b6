// The installation of the generators. It is below target/, with the versions of package-lock.json, so that the sites next to this
// file are not changed.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The root folder of the repository. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The folder that contains node_modules and in which sites are built. */
export const workshop = join(repository, "target/generators");

const { resolve } = createRequire(join(workshop, "package.json"));

/** Imports the module of this name from the installation of the generators. */
export async function installed(name) {
  return import(pathToFileURL(resolve(name)));
}
