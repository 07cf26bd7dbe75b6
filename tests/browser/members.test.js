// Ghost's unmodified scripts for readers, on a front end that forwards /members/, /ghost/ and /content/ to Galley: Portal, the
// embedded form, the search and the announcement.

import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { eventually, newFolder, noContent, serve } from "../examples/galley.js";
import { desk, launch } from "./chromium.js";
import { openMailbox } from "./editor/mailbox.js";
import { fileOf } from "./reader-scripts.js";

const owner = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" };

/** Serves pages with the scripts, and forwards all other requests to Galley. */
async function openFrontEnd() {
  const front = { files: {} };
  const tag = (name, attributes) => `<script src="/${name}.js" ${attributes}></script>`;
  const pages = {
    "/": () =>
      tag("portal", `defer data-ghost="${front.url}/" data-key="${front.galley.key}" data-api="${front.url}/ghost/api/content/"`),
    "/form/": () => `<div style="height: 400px">${tag("signup-form", `async data-title="Harbour" data-site="${front.url}/"`)}</div>`,
    "/search/": () =>
      `<button data-ghost-search>Search</button><div id="sodo-search-root"></div>` +
      tag("sodo-search", `defer data-key="${front.galley.key}" data-styles="/sodo-search.css" data-sodo-search="${front.url}/" data-locale="en"`) +
      tag("announcement-bar", `defer data-announcement-bar="${front.url}/" data-api-url="${front.url}/members/api/announcement/"`),
  };
  const server = createServer((asked, response) => {
    const [path] = asked.url.split("?");
    if (/^\/(members|ghost|content)\//.test(path)) {
      const { method, headers } = asked;
      const proxied = request(front.galley.url + asked.url, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode, reply.headers);
        reply.pipe(response);
      });
      asked.pipe(proxied);
    } else if (front.files[path]) {
      response.setHeader("Content-Type", path.endsWith(".css") ? "text/css" : "text/javascript").end(front.files[path]);
    } else if (pages[path]) {
      response.setHeader("Content-Type", "text/html").end(`<!doctype html><title>Front end</title><h1>Harbour</h1>${pages[path]()}`);
    } else {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  for (const name of ["portal", "signup-form", "sodo-search", "announcement-bar"]) {
    front.files[`/${name}.js`] = await fileOf(name, `${name}.min.js`);
  }
  front.files["/sodo-search.css"] = await fileOf("sodo-search", "main.css");
  front.url = `http://127.0.0.1:${server.address().port}`;
  front.close = () => server.closeAllConnections() ?? server.close();
  return front;
}

describe("a reader", () => {
  let browser;
  let front;
  let mailbox;
  let page;

  /** Sends a request to the Admin API as the owner. */
  const cookies = [];
  async function admin(method, path, body, origin = front.url) {
    const response = await fetch(`${front.galley.url}/ghost/api/admin/${path}`, {
      method,
      headers: { Origin: origin, "Content-Type": "application/json", Cookie: cookies.join("; ") },
      body: JSON.stringify(body),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]));
    return response.headers.get("content-type")?.includes("json") ? response.json() : undefined;
  }

  /** Returns the member with this e-mail address from the Admin API. */
  const member = (email) => admin("GET", `members/?filter=email:'${email}'&include=newsletters`).then(({ members }) => members[0]);

  /** Returns the popup of Portal. */
  const portal = () => page.frameLocator('iframe[data-testid="portal-popup-frame"]');

  async function openPortal(place) {
    await page.goto("about:blank");
    await page.goto(`${front.url}/#/portal/${place}`);
  }

  /** Returns the sign-in link in the newest e-mail to this address. */
  async function mailedLink(email) {
    const [link] = await mailbox.find(email, /https?:\/\/[^\s"<>]*\/members\/\?token=[^\s"<>]+/);
    return link.replaceAll("&amp;", "&");
  }

  /** Returns the members-only post as the code of the page receives it. */
  const readPost = () =>
    page.evaluate(async (key) => {
      const response = await fetch(`/ghost/api/content/posts/slug/low-water/?key=${key}`);
      const { posts } = await response.json();
      return [posts[0].access, posts[0].html];
    }, front.galley.key);

  before(async () => {
    [browser, front, mailbox] = await Promise.all([launch(), openFrontEnd(), openMailbox()]);
    const options = join(await newFolder(), "galley.toml");
    await writeFile(options, `url = "${front.url}"\nmail.url = "${mailbox.url}"\nmail.from = "letters@example.com"\n`);
    front.galley = await serve(noContent, "--config", options);
    // Without the setup link, only a page of the requested host may set up the site.
    await admin("POST", "authentication/setup/", { setup: [{ ...owner, blogTitle: "Harbour" }] }, front.galley.url);
    await admin("POST", "session/", { username: owner.email, password: owner.password });
    const post = { title: "Low water", html: "<p>For those who walk the sands.</p>", visibility: "members", status: "published" };
    await admin("POST", "posts/?source=html", { posts: [post] });
    const settings = { announcement_content: "<p>The pier is closed.</p>", announcement_visibility: '["visitors"]' };
    await admin("PUT", "settings/", { settings: Object.entries(settings).map(([key, value]) => ({ key, value })) });
    page = await (await browser.newContext(desk)).newPage();
    page.setDefaultTimeout(60_000);
  });

  after(async () => {
    await browser?.close();
    await front?.galley?.stop();
    front?.close();
    mailbox?.close();
  });

  test("cannot read a post for members", async () => {
    await page.goto(front.url);
    assert.deepEqual(await readPost(), [false, ""]);
  });

  test("signs up with Portal and the link in the mail", async () => {
    await openPortal("signup");
    await portal().getByLabel(/name/i).first().fill("Mia Tern");
    await portal().getByLabel(/email/i).fill("mia@example.com");
    await portal().getByRole("button", { name: /sign up|continue|subscribe/i }).first().click();
    await portal().getByText(/check your/i).first().waitFor();
    await page.goto(await mailedLink("mia@example.com"));
    await page.waitForURL(/[?&]success=true/);
    assert.equal((await member("mia@example.com")).name, "Mia Tern");
    assert.deepEqual(await readPost(), [true, "<p>For those who walk the sands.</p>"]);
  });

  test("unsubscribes from a newsletter in the account", async () => {
    await openPortal("account");
    await portal().getByText("mia@example.com").first().waitFor();
    await portal().getByText("Manage").first().click();
    await portal().getByTestId("newsletter-toggle").click();
    await eventually("no newsletter", async () => (await member("mia@example.com")).newsletters.length === 0);
  });

  test("signs out, and in again with the code in the mail", async () => {
    await openPortal("account");
    // Portal reloads the page asynchronously.
    const again = page.waitForEvent("load");
    await portal().getByText(/sign out/i).first().click();
    await again;
    await eventually("signed out", async () => !(await readPost())[0]);
    await openPortal("signin");
    await portal().getByLabel(/email/i).fill("mia@example.com");
    await portal().getByRole("button", { name: /continue/i }).first().click();
    await portal().getByText(/enter your code/i).waitFor();
    const [, code] = await mailbox.find("mia@example.com", /\b(\d{6})\b/);
    // The last digit submits the form.
    await portal().locator('input[name="otc"]').fill(code);
    await page.waitForURL(/[?&]success=true/);
    assert.equal((await readPost())[0], true);
  });

  test("signs up with the embedded form", async () => {
    await page.context().clearCookies();
    await page.goto(`${front.url}/form/`);
    const form = page.frameLocator("iframe").first();
    await form.getByRole("textbox").or(form.locator("input")).first().fill("ben@example.com");
    await form.getByRole("button").first().click();
    await page.goto(await mailedLink("ben@example.com"));
    await page.waitForURL(/[?&]success=true/);
    assert.equal((await member("ben@example.com")).email, "ben@example.com");
  });

  test("finds a post with the search, and sees the announcement", async () => {
    await page.context().clearCookies();
    await page.goto(`${front.url}/search/`);
    await page.getByText("The pier is closed.").waitFor();
    await page.getByText("Search", { exact: true }).first().click();
    const search = page.frameLocator("#sodo-search-root iframe");
    await search.getByPlaceholder(/search/i).fill("Low");
    await search.getByText("Low water").first().waitFor();
  });
});
