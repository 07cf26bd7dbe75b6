// Python environments with the packages of an example or its test, stored below target/ for all runs.

import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";

import { repository, succeed } from "./galley.js";

/** Returns the folder of programs of the environment `name`, with the packages of the file `requirements` installed. */
export async function pythonEnvironment(name, requirements) {
  const environment = join(repository, "target/examples", name);
  const programs = join(environment, "bin");
  const installed = join(environment, "requirements.txt");
  const wanted = await readFile(requirements, "utf8");
  if (existsSync(installed) && (await readFile(installed, "utf8")) === wanted) return programs;
  await succeed("python3", ["-m", "venv", "--clear", environment]);
  const quietly = ["--quiet", "--disable-pip-version-check"];
  await succeed(join(programs, "pip"), ["install", ...quietly, "-r", requirements]);
  await copyFile(requirements, installed);
  return programs;
}
