// Pages of themes with Ghost's scripts for readers: the built-in theme and a small one, visited by readers of each kind. The
// browser must not report problems.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { newFolder, sampleSite, serve } from "../examples/galley.js";
import { assertFits, desk, launch, open, phone } from "./chromium.js";
import { installScripts, requestsElsewhere } from "./reader-scripts.js";

/** A theme with its own style sheet and script, search, sign-up, comments, and images in several sizes. */
const theme = {
  "package.json": JSON.stringify({
    name: "tide",
    version: "1.0.0",
    author: { email: "tide@example.com" },
    config: { posts_per_page: 4, card_assets: true, image_sizes: { s: { width: 300 }, l: { width: 1200 } } },
  }),
  "default.hbs": `<!DOCTYPE html><html lang="{{@site.locale}}"><head><meta charset="utf-8"><title>{{meta_title}}</title>
    <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="{{asset "screen.css"}}">{{ghost_head}}</head>
    <body class="{{body_class}}"><header>{{navigation}}{{search}}<a href="#/portal/signup" data-portal="signup">Subscribe</a></header>
    <main>{{{body}}}</main><script src="{{asset "site.js"}}"></script>{{ghost_foot}}</body></html>`,
  "index.hbs": `{{!< default}}
    {{#foreach posts}}<h2><a href="{{url}}">{{title}}</a></h2>{{#if feature_image}}<img src="{{img_url feature_image size="s"}}" alt="">{{/if}}
    {{comment_count}}{{/foreach}}{{pagination}}`,
  "post.hbs": `{{!< default}}
    {{#post}}<h1>{{title}}</h1>{{#if feature_image}}<img src="{{img_url feature_image size="l" format="webp"}}" alt="">{{/if}}
    {{content}}{{comments}}{{/post}}`,
  "error.hbs": "{{!< default}}\n<h1>{{statusCode}}</h1>",
  "assets/screen.css": "* { box-sizing: border-box } body { margin: 1rem; overflow-wrap: anywhere } img { max-width: 100% } pre { overflow-x: auto }",
  "assets/site.js": "document.documentElement.classList.add('has-script')",
};

async function writeTheme() {
  const folder = join(await newFolder(), "tide");
  for (const [name, text] of Object.entries(theme)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return folder;
}

/** Returns the paths of the pages of a site, from its sitemaps. */
async function pagesOf(url) {
  const kinds = ["pages", "posts", "tags", "authors"];
  const maps = await Promise.all(kinds.map((kind) => fetch(`${url}/sitemap-${kind}.xml`).then((response) => response.text())));
  const urls = maps.flatMap((map) => [...map.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, found]) => found));
  return urls.filter((found) => !found.includes("/content/")).map((found) => found.slice(url.length));
}

for (const name of ["the built-in theme", "a theme from a folder"]) {
  describe(`a reader of ${name}`, () => {
    let browser;
    let galley;

    before(async () => {
      browser = await launch();
      const options = join(await newFolder(), "galley.toml");
      await writeFile(options, 'front_end = "theme"\n');
      const own = name.endsWith("folder") ? ["--theme", await writeTheme()] : [];
      galley = await serve(sampleSite, "--config", options, ...own);
      await installScripts(galley);
    });

    after(async () => {
      await browser?.close();
      await galley?.stop();
    });

    /** Asserts that a page loads all its files without problems and only from its own host. */
    function assertLoads(page) {
      // Without a staff session, the frame of comments stays empty: browsers abort a navigation without content.
      const emptyFrame = `${galley.url}/ghost/auth-frame/ failed`;
      assert.deepEqual(page.complaints.filter((complaint) => complaint !== emptyFrame), [], page.url());
      assert.deepEqual(requestsElsewhere(page, galley), [], page.url());
    }

    for (const [place, device] of Object.entries({ desk, phone })) {
      test(`opens every page at a ${place}`, async () => {
        const paths = await pagesOf(galley.url);
        assert.ok(paths.length > 15, `${paths.length} pages`);
        for (const path of paths) {
          const page = await open(browser, `${galley.url}${path}`, device);
          await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
          await page.waitForLoadState("networkidle");
          assertLoads(page);
          await assertFits(page);
          await page.context().close();
        }
      });
    }

    test("opens Portal and the search", async () => {
      for (const [place, label] of [
        ["portal/signup", /email/i],
        ["portal/signin", /email/i],
      ]) {
        const page = await open(browser, `${galley.url}/#/${place}`);
        await page.frameLocator('iframe[data-testid="portal-popup-frame"]').getByLabel(label).waitFor();
        assertLoads(page);
        await page.context().close();
      }
      const page = await open(browser, `${galley.url}/#/search`);
      const search = page.frameLocator("#sodo-search-root iframe");
      await search.getByPlaceholder(/search/i).fill("ferry");
      await search.getByText("The night ferry").first().waitFor();
      assertLoads(page);
      await page.context().close();
    });

    test("sees the error page for an unknown path", async () => {
      const page = await open(browser, `${galley.url}/nothing-is-here/`);
      assert.match(await page.textContent("h1"), /404/);
      const own = [`${galley.url}/nothing-is-here/: 404`, "Failed to load resource: the server responded with a status of 404 (Not Found)"];
      assert.deepEqual(page.complaints.filter((complaint) => !own.includes(complaint)), []);
      await page.context().close();
    });
  });
}
