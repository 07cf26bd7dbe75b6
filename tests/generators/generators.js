// Builds the site of each generator, and finds the element with the text in its pages.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { find, hasClass } from "./normal_form.js";
import { workshop } from "./tools.js";

/** The folder of the sites. */
export const sites = fileURLToPath(new URL("sites/", import.meta.url));

const ORIGIN = "https://harbour.example";
const BUILD_TIME_MAX = 240_000;

/** Runs a program in the copy of the site. */
async function run(site, command, ...words) {
  const environment = {
    ...process.env,
    ASTRO_TELEMETRY_DISABLED: "1",
    DOCUSAURUS_NO_PERSISTENT_CACHE: "1",
    LANG: "C.UTF-8",
    NODE_ENV: "production",
    TZ: "UTC",
  };
  try {
    await promisify(execFile)(command, words, {
      cwd: site,
      env: environment,
      timeout: BUILD_TIME_MAX,
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    throw new Error(`${command} ${words.join(" ")} failed in ${site}:\n${error.stdout}\n${error.stderr}`, {
      cause: error,
    });
  }
}

const tool = (name) => join(workshop, "node_modules/.bin", name);
const byClass = (name) => (document) => find(document, (element) => hasClass(element, name));

/** Returns the element with the title, which the layouts of these sites show above the text. */
function shownTitle(document) {
  return find(document, (element) => element.tagName === "h1" && hasClass(element, "title"));
}

/**
 * The generators by name.
 *
 * `build` builds the pages in a copy of the site, and `output` is the folder of these pages. A generator without `build` is not
 * installed by the tests: its pages are written by hand, or were recorded. `content` finds the element with a page's text, and
 * `title` the element with its title. `unbuilt` are patterns of paths that do not belong to a document of the default language.
 *
 * With `hasNoIds`, the generator derives fragments of headings differently, so that ids are not compared; targets of links still
 * are. With `hasNoPaths`, the hand-written pages do not have the paths at which the generator publishes them. With `slashless`,
 * paths end without `/`.
 */
export const generators = {
  hugo: {
    build: (site) => run(site, "hugo", "--quiet"),
    output: "public",
    content: byClass("content"),
    title: shownTitle,
    unbuilt: [/^\/de\//],
  },
  zola: { content: byClass("content"), title: shownTitle },
  jekyll: {
    build: (site) => run(site, "jekyll", "build", "--quiet"),
    output: "_site",
    content: byClass("content"),
    title: shownTitle,
  },
  eleventy: {
    build: (site) => run(site, tool("eleventy"), "--quiet"),
    output: "_site",
    content: byClass("content"),
    title: shownTitle,
  },
  astro: {
    build: (site) => run(site, tool("astro"), "build", "--silent"),
    output: "dist",
    content: byClass("content"),
    title: shownTitle,
    unbuilt: [/^\/docs\/de\//],
  },
  next: {
    build: (site) => run(site, process.execPath, fileURLToPath(new URL("next_pages.js", import.meta.url)), site),
    output: "out",
    content: byClass("content"),
    title: shownTitle,
    slashless: true,
  },
  docusaurus: {
    build: (site) => run(site, tool("docusaurus"), "build", "--no-minify"),
    output: "build",
    content: (document) => byClass("markdown")(document) ?? find(document, ({ tagName }) => tagName === "article"),
    title: (document) =>
      find(document, ({ tagName }) => tagName === "h1") ?? find(document, ({ tagName }) => tagName === "title"),
    unbuilt: [/^\/404\.html$/, /^\/blog\/$/, /^\/(docs|blog)\/(tags|archive|authors|page)(\/|$)/],
  },
  vuepress: { content: byClass("content"), title: shownTitle },
  nuxt: { content: byClass("content"), title: shownTitle, slashless: true },
  obsidian: { content: byClass("content"), title: shownTitle, hasNoIds: true, hasNoPaths: true },
};

/** Returns the folder of a site. */
export function siteOf(name) {
  return join(sites, name);
}

/** Returns the path at which the page in a file of the generator is served. */
function addressOf(file, { slashless }) {
  const path = `/${file.replace(/^\/+/, "")}`;
  const isFront = path === "/index.html";
  return path.replace(slashless && !isFront ? /\/index\.html$/ : /(?<=\/)index\.html$/, "");
}

/**
 * Builds the site of a generator, and returns a map from paths to the HTML of pages, and the folder of the built files.
 */
export async function pagesOf(name) {
  const generator = generators[name];
  let folder;
  if (generator.build) {
    const copy = join(workshop, "sites", name);
    await rm(copy, { recursive: true, force: true });
    await mkdir(join(workshop, "sites"), { recursive: true });
    await cp(siteOf(name), copy, { recursive: true });
    await generator.build(copy);
    folder = join(copy, generator.output);
  } else {
    folder = fileURLToPath(new URL(`expected/${name}/`, import.meta.url));
  }
  const pages = new Map();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".html")) continue;
    const file = join(entry.parentPath, entry.name);
    const path = addressOf(file.slice(folder.length), generator);
    if (generator.unbuilt?.some((pattern) => pattern.test(path))) continue;
    pages.set(path, await readFile(file, "utf8"));
  }
  return { folder, origin: ORIGIN, pages };
}
