// Galley's own script and plain pages for readers, with a theme that uses the attributes of Ghost's themes. Pages load no files
// from other hosts.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { newFolder, sampleSite, serve } from "../examples/galley.js";
import { assertFits, desk, launch, phone } from "./chromium.js";
import { openMailbox } from "./editor/mailbox.js";

const index = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{{@site.title}}</title>{{ghost_head}}</head><body>
  <p id="reader">{{#if @member}}{{@member.email}}{{else}}anonymous{{/if}}</p>
  <a href="#/portal/signin">Sign in</a> <button data-portal="account">Account</button> <button data-ghost-search>Search</button>
  <form data-members-form="signup"><input data-members-email type="email" aria-label="Address"><button>Subscribe</button>
    <span data-members-error></span></form>
  <a href="javascript:" data-members-signout>Sign out</a></body></html>`;

async function writeTheme() {
  const folder = join(await newFolder(), "tide");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "tide", version: "1.0.0", author: { email: "tide@example.com" } }));
  await writeFile(join(folder, "index.hbs"), index);
  await writeFile(join(folder, "post.hbs"), "{{ghost_head}}{{#post}}<h1>{{title}}</h1>{{content}}{{/post}}");
  return folder;
}

describe("a reader without Ghost's scripts", () => {
  const elsewhere = [];
  const complaints = [];
  let browser;
  let galley;
  let mailbox;
  let page;

  async function mailedLink(email) {
    const [link] = await mailbox.find(email, /https?:\/\/[^\s"<>]*\/members\/\?token=[^\s"<>]+/);
    return link.replaceAll("&amp;", "&");
  }

  before(async () => {
    [browser, mailbox] = await Promise.all([launch(), openMailbox()]);
    const options = join(await newFolder(), "galley.toml");
    const lines = ['reader_scripts = "galley"', `mail.url = "${mailbox.url}"`, 'mail.from = "letters@example.com"'];
    await writeFile(options, `${lines.join("\n")}\n`);
    galley = await serve(sampleSite, "--config", options, "--theme", await writeTheme());
    page = await (await browser.newContext(desk)).newPage();
    page.setDefaultTimeout(60_000);
    page.on("request", (request) => request.url().startsWith(galley.url) || elsewhere.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  });

  after(async () => {
    await browser?.close();
    await galley?.stop();
    mailbox?.close();
  });

  test("signs up with the form of the theme", async () => {
    await page.goto(galley.url);
    await page.getByLabel("Address").fill("mia@example.com");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.locator("form.success").waitFor();
    await page.goto(await mailedLink("mia@example.com"));
    await page.getByRole("status").getByText("You are a member now.").waitFor();
    assert.equal(await page.locator("#reader").textContent(), "mia@example.com");
    assert.equal(new URL(page.url()).search, "");
  });

  test("keeps the account on a page", async () => {
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByLabel("Your name").fill("Mia Tern");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").waitFor();
    assert.equal(await page.getByLabel("Your name").inputValue(), "Mia Tern");
    await page.setViewportSize(phone.viewport);
    await assertFits(page);
    await page.setViewportSize(desk.viewport);
  });

  test("signs out, and in again with the code in the e-mail", async () => {
    await page.goto(galley.url);
    await page.getByText("Sign out").click();
    await page.locator("#reader", { hasText: "anonymous" }).waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Your e-mail address").fill("mia@example.com");
    await page.getByRole("button", { name: "Sign in" }).click();
    const [, code] = await mailbox.find("mia@example.com", /\b(\d{6})\b/);
    await page.getByLabel("The code").fill(code);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#reader", { hasText: "mia@example.com" }).waitFor();
  });

  test("sees why a form is refused", async () => {
    await page.locator("form").evaluate((form) => { form.noValidate = true; });
    await page.getByLabel("Address").fill("not an address");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.locator("form.error").waitFor();
    assert.notEqual(await page.locator("[data-members-error]").textContent(), "");
    // The browser itself reports the refused request.
    assert.match(complaints.pop(), /400/);
  });

  test("searches on a page", async () => {
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("galley");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText(/\d+ results?/).waitFor();
    assert.notEqual(await page.locator("li mark").count(), 0);
    await page.setViewportSize(phone.viewport);
    await assertFits(page);
  });

  test("shows staff the sign-up page in the preview of Portal, and reports that it is ready", async () => {
    await page.goto(`${galley.url}/healthz`);
    await page.evaluate((site) => new Promise((resolve) => {
      window.addEventListener("message", ({ data }) => data.type === "portal-preview-ready" && resolve());
      const frame = document.createElement("iframe");
      frame.src = new URL("/?v=modal-portal-settings#/portal/preview?button=true&page=signup", site);
      document.body.append(frame);
    }), galley.url);
    const preview = page.frames().find((frame) => frame.url().includes("modal-portal-settings"));
    const html = await preview.evaluate(() => document.querySelector("#galley-preview").srcdoc);
    assert.match(html, /Your e-mail address/);
  });

  test("shows staff an announcement that is not saved", async () => {
    await page.route(galley.url, (route) => route.continue({
      headers: { ...route.request().headers(), "x-ghost-preview": "announcement=Storm&announcement_bg=dark&announcement_vis=visitors" },
    }));
    await page.goto(galley.url);
    await page.locator("#announcement-bar", { hasText: "Storm" }).waitFor();
    await page.unroute(galley.url);
  });

  test("loads nothing from other hosts, and the browser reports no problems", () => {
    assert.deepEqual([elsewhere, complaints], [[], []]);
  });
});
