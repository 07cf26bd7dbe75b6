// Pinned versions of Ghost's scripts for readers, from npm.
//
// When run as a program, this file downloads all of them, so that tests do not wait for the
// network.

import { execFile } from "node:child_process";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { eventually, program, repository, succeed } from "../examples/galley.js";

export const VERSIONS = {
  "announcement-bar": "1.1.561",
  portal: "2.71.227",
  "signup-form": "0.3.592",
  "sodo-search": "1.8.591",
};

const run = promisify(execFile);

/** The folder of unpacked packages, shared by all runs. */
const cache = join(repository, "target/reader-scripts");

/** Returns a built file of the package `name`. The file includes the package's dependencies, so these are not installed. */
export async function fileOf(name, file) {
  const folder = join(cache, `${name}-${VERSIONS[name]}`);
  const path = join(folder, "package/umd", file);
  const known = await readFile(path).catch(() => undefined);
  if (known) return known;
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", `@tryghost/${name}@${VERSIONS[name]}`], { cwd: unfinished });
  await run("tar", ["xzf", stdout.trim().split("\n").at(-1)], { cwd: unfinished });
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
  return readFile(path);
}

/** Installs the scripts in a data folder. */
const install = (data) => succeed(program, ["admin", "install", "--reader-scripts", "--data", data], { seconds: 600 });

/** Installs the scripts for a running site, and waits until its pages load them from there. */
export async function installScripts(galley) {
  await install(galley.data);
  await eventually("pages with the installed scripts", async () => {
    const page = await fetch(galley.url).then((response) => response.text());
    return page.includes("/public/reader-scripts/portal-");
  });
}

/** Returns the URLs of other hosts that a page has requested. */
export function requestsElsewhere(page, { url: site }) {
  return page.requests.filter((url) => !url.startsWith(`${site}/`) && !/^(data|blob|about):/.test(url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // This also fills npm's cache for the installations in other tests.
  await install(cache);
  for (const name of Object.keys(VERSIONS)) await fileOf(name, `${name}.min.js`);
}
