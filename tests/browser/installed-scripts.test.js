// Ghost's scripts for readers, installed in the site: pages of a theme, Portal and the search send no requests to other hosts.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { newFolder, noContent, serve } from "../examples/galley.js";
import { launch, open } from "./chromium.js";
import { installScripts, requestsElsewhere } from "./reader-scripts.js";

const owner = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" };

describe("a reader of pages of a theme", () => {
  let browser;
  let galley;

  before(async () => {
    browser = await launch();
    const options = join(await newFolder(), "galley.toml");
    await writeFile(options, 'front_end = "theme"\nstaff.device_verification = false\n');
    galley = await serve(noContent, "--config", options);
    const cookies = [];
    const admin = async (method, path, body) => {
      const response = await fetch(`${galley.url}/ghost/api/admin/${path}`, {
        method,
        headers: { Origin: galley.url, "Content-Type": "application/json", Cookie: cookies.join("; ") },
        body: JSON.stringify(body),
      });
      assert.ok(response.ok, `${method} ${path}: ${response.status}`);
      cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]));
    };
    await admin("POST", "authentication/setup/", { setup: [{ ...owner, blogTitle: "Harbour" }] });
    await admin("POST", "session/", { username: owner.email, password: owner.password });
    const post = { title: "Low water", html: "<p>For those who walk the sands.</p>", status: "published" };
    await admin("POST", "posts/?source=html", { posts: [post] });
    const settings = { announcement_content: "<p>The pier is closed.</p>", announcement_visibility: '["visitors"]' };
    await admin("PUT", "settings/", { settings: Object.entries(settings).map(([key, value]) => ({ key, value })) });
    await installScripts(galley);
  });

  after(async () => {
    await browser?.close();
    await galley?.stop();
  });

  /** Opens a page of the site, runs `act` with it, and asserts that no request was sent to other hosts. */
  async function asksNoOtherHost(path, act) {
    const page = await open(browser, `${galley.url}${path}`);
    page.setDefaultTimeout(60_000);
    await act(page);
    assert.deepEqual(requestsElsewhere(page, galley), []);
    assert.ok(page.requests.some((url) => url.includes("/public/reader-scripts/")));
    await page.context().close();
  }

  test("opens Portal", () =>
    asksNoOtherHost("/#/portal/signup", async (page) => {
      const portal = page.frameLocator('iframe[data-testid="portal-popup-frame"]');
      await portal.getByLabel(/email/i).waitFor();
    }));

  test("finds a post with the search, which loads its styles from the site", () =>
    asksNoOtherHost("/#/search", async (page) => {
      const search = page.frameLocator("#sodo-search-root iframe");
      await search.getByPlaceholder(/search/i).fill("Low");
      await search.getByText("Low water").first().waitFor();
      assert.ok(page.requests.some((url) => /sodo-search-[^/]*\/umd\/main\.css$/.test(url)));
    }));

  test("sees the announcement", () =>
    asksNoOtherHost("/low-water/", (page) => page.getByText("The pier is closed.").waitFor()));
});
