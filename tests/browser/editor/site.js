// A site with Ghost's admin app, and a browser that shows it.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { eventually, newFolder, noContent, serve } from "../../examples/galley.js";
import { desk, launch } from "../chromium.js";
import { app } from "./app.js";
import { openMailbox } from "./mailbox.js";
import { watch } from "./watch.js";

/** The owner of the site. */
export const owner = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" };

/** An image of one pixel. */
export const pixel = {
  mimeType: "image/png",
  buffer: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
};

/** A tenth of a second of silence (WAV, 8 bits, 8 kHz). */
export const silence = {
  name: "fog-horn.wav",
  mimeType: "audio/wav",
  buffer: Buffer.concat([
    Buffer.from("524946464403000057415645666d74201000000001000100401f0000401f0000010008006461746120030000", "hex"),
    Buffer.alloc(800, 0x80),
  ]),
};

/** The time from a change until the app saves a draft, including loading, in milliseconds. */
const AUTOSAVE_MS = 3_000;

/** The title of the site. */
export const title = "The Eskerry Letter";

/**
 * Serves a site with the app, and opens a browser.
 *
 * `content` is the folder of content files. With `isSetUp`, the owner exists and is signed in. `device` is a device of
 * Playwright. `frontEnd` is the setting `front_end`: with a theme, pages load scripts from Ghost's CDN. `more` contains further
 * lines of the configuration file.
 */
export async function openSite({ content = noContent, isSetUp = true, device = desk, frontEnd = "none", more = [] } = {}) {
  const mailbox = await openMailbox();
  const options = join(await newFolder(), "galley.toml");
  const lines = [`admin.path = ${JSON.stringify(app)}`, `front_end = "${frontEnd}"`, `mail.url = "${mailbox.url}"`, 'mail.from = "letters@example.com"', ...more];
  await writeFile(options, `${lines.join("\n")}\n`);
  const galley = await serve(content, "--config", options);
  const browser = await launch();
  const site = new Site(galley, browser, mailbox);
  site.visitor = await site.visit(device);
  if (isSetUp) await site.setUp();
  return site;
}

class Site {
  constructor(galley, browser, mailbox) {
    Object.assign(this, { url: galley.url, galley, browser, mailbox });
  }

  /** Opens a visitor with a separate browser context. */
  async visit(device = desk) {
    const context = await this.browser.newContext({ ...device, acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return new Visitor(this, page, await watch(page, this.url));
  }

  /** Creates the owner without the app, and signs in. */
  async setUp() {
    await this.visitor.admin("POST", "authentication/setup/", { setup: [{ ...owner, blogTitle: title }] });
    await this.visitor.admin("POST", "session/", { username: owner.email, password: owner.password });
  }

  /** Returns a response of the Content API. */
  async read(path) {
    const response = await fetch(`${this.url}/ghost/api/content/${path}${path.includes("?") ? "&" : "?"}key=${this.galley.key}`);
    return response.json();
  }

  async close() {
    await this.browser.close();
    this.mailbox.close();
    await this.galley.stop();
  }
}

/** A person with a browser. */
class Visitor {
  constructor(site, page, watched) {
    Object.assign(this, { site, page, watched });
  }

  /** Sends a request to the Admin API as the app does, and resolves to the response. */
  async admin(method, path, body) {
    const response = await this.page.context().request.fetch(`${this.site.url}/ghost/api/admin/${path}`, {
      method,
      headers: { Origin: this.site.url, "Content-Type": "application/json" },
      data: body && JSON.stringify(body),
    });
    assert.ok(response.ok(), `${method} ${path}: ${await response.text()}`);
    return response.headers()["content-type"]?.includes("json") ? response.json() : response.text();
  }

  /** Opens a page of the app, and waits until it is loaded. */
  async open(path) {
    await this.page.goto(`${this.site.url}/ghost/#${path}`);
    await this.settle();
  }

  /** Waits until the app has stopped loading. */
  async settle() {
    await this.watched.settle();
  }

  /** Returns the visible button with `data-test-button="name"`. */
  button(name) {
    return this.page.locator(`[data-test-button="${name}"]`).filter({ visible: true }).first();
  }

  /** Returns the current path in the app. */
  path() {
    return new URL(this.page.url()).hash.slice(1);
  }

  /** Waits until the app shows a path. */
  async waitForPath(pattern) {
    await this.page.waitForURL((url) => pattern.test(url.hash.slice(1)));
  }

  /** Opens the editor of a new post or page (`kind`), and writes a title and a first paragraph. */
  async write(kind, title, text) {
    await this.open(`/editor/${kind}`);
    await this.page.locator("[data-test-editor-title-input]").fill(title);
    await this.page.keyboard.press("Enter");
    // The app saves the document after the title is entered.
    await this.waitForPath(/^\/editor\/\w+\/[0-9a-f]{24}$/);
    await this.type(text);
  }

  /**
   * Types at the end of the line in `editor` until the text is there. Typed text is lost if the editor starts late or is replaced
   * by the app.
   */
  async type(text, editor = this.page.locator('[data-kg="editor"] [contenteditable="true"]').first()) {
    let isAgain = false;
    await eventually(`"${text}" in the editor`, async () => {
      const hasFocus = await editor.evaluate((element) => element.contains(document.activeElement));
      if (!hasFocus) await editor.click();
      if (isAgain) await this.page.keyboard.press("Shift+Home");
      isAgain = true;
      await this.page.keyboard.type(text);
      await this.settle();
      return (await editor.innerText()).includes(text);
    });
  }

  /** Waits until the editor has saved the text automatically. */
  async saved() {
    await this.page.locator("[data-test-editor-post-status]").getByText("Saved").waitFor({ state: "attached" });
  }

  /** Publishes the post in the editor. */
  async publish() {
    await this.button("publish-flow").click();
    await this.confirmPublishing();
  }

  /** Continues from the publishing options to the confirmation, and confirms. */
  async confirmPublishing() {
    // An automatic save that begins during publishing would contain the previous update time, and be refused.
    await pause(AUTOSAVE_MS + 500);
    await this.settle();
    await this.button("continue").click();
    // The button is animated, so Playwright never considers it stable.
    await this.button("confirm-publish").click({ force: true });
    // A post that was sent by e-mail is shown in a different dialog.
    const dialog = this.page.getByRole("dialog").getByRole("button", { name: "Close" });
    await this.button("close-publish-flow").or(dialog).first().click();
  }

  /** Signs in with the form. */
  async signIn({ email, password }) {
    await this.page.locator('input[name="identification"]').fill(email);
    await this.page.locator('input[name="password"]').fill(password);
    await this.button("sign-in").click();
  }
}
