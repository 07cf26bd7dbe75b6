// Posts, pages and tags, from the editor to the reader.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { eventually } from "../../examples/galley.js";
import { openSite, pixel, silence } from "./site.js";
import { stepOf } from "./steps.js";

/** Records a short video (WebM) with the browser. */
async function recordVideo(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 48 });
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    for (let frame = 0; frame < 20; frame += 1) {
      context.fillStyle = frame % 2 ? "navy" : "teal";
      context.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise((done) => setTimeout(done, 40));
    }
    await new Promise((done) => {
      recorder.onstop = done;
      recorder.stop();
    });
    return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
  });
  return { name: "tide.webm", mimeType: "video/webm", buffer: Buffer.from(bytes) };
}

describe("a writer", () => {
  let site;
  const step = stepOf(() => site.visitor);
  const post = (slug) => site.visitor.admin("GET", `posts/slug/${slug}/?include=tags,authors`).then(({ posts }) => posts[0]);
  const readers = (slug) => site.read(`posts/slug/${slug}/?include=tags,authors`).then(({ posts }) => posts?.[0]);

  before(async () => {
    site = await openSite();
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  /** Adds a card from the editor's menu. */
  async function addCard(name) {
    const { page } = site.visitor;
    await page.keyboard.press("Enter");
    await site.visitor.type("/");
    await page.locator(`[data-kg-card-menu-item="${name}"]`).click();
  }

  /** Chooses a file in the browser's dialog, which `ask` opens. */
  async function choose(file, ask) {
    const [chooser] = await Promise.all([site.visitor.page.waitForEvent("filechooser"), ask()]);
    await chooser.setFiles(file);
  }

  async function openSettings() {
    await site.visitor.page.locator("[data-test-psm-trigger]").click();
    await site.visitor.page.locator('input[name="post-setting-slug"]').waitFor();
  }

  step("writes a post with cards, which is saved automatically", async (visitor, page) => {
    await visitor.write("post", "The harbour at night", "The last ferry comes in at ten.");
    await addCard("Divider");
    await visitor.type("After the line.");
    await choose({ ...pixel, name: "ferry.png" }, () => addCard("Image"));
    await page.locator('[data-kg-card="image"] img').waitFor();
    await visitor.saved();
    await visitor.waitForPath(/^\/editor\/post\/[0-9a-f]{24}$/);
  });

  step("gives it an image, tags, an excerpt and a slug", async (visitor, page) => {
    await choose({ ...pixel, name: "harbour.png" }, () => page.getByRole("button", { name: "Add feature image" }).click());
    await page.locator(".gh-editor-feature-image img").waitFor();
    await openSettings();
    await page.locator('input[name="post-setting-slug"]').fill("harbour-at-night");
    await page.keyboard.press("Tab");
    await visitor.settle();
    await page.locator("#tag-input input").fill("Harbours");
    await page.getByText('Add "Harbours"...').waitFor();
    await page.keyboard.press("Enter");
    await page.locator('[data-test-field="custom-excerpt"]').fill("What comes in after ten.");
    await page.keyboard.press("Tab");
    await page.locator("[data-test-psm-trigger]").click();
    await visitor.saved();
    const { custom_excerpt, tags, feature_image, lexical } = await post("harbour-at-night");
    assert.equal(custom_excerpt, "What comes in after ten.");
    assert.deepEqual(tags.map(({ name }) => name), ["Harbours"]);
    assert.match(feature_image, /\/content\/images\/\d{4}\/\d\d\/harbour\.png$/);
    assert.match(lexical, /After the line\..*ferry\.png/);
    assert.equal(await readers("harbour-at-night"), undefined);
  });

  step("previews it, on the web and as an e-mail", async (visitor, page) => {
    await visitor.button("publish-preview").click();
    const web = page.frameLocator('iframe[src*="/p/"]');
    await web.getByText("The last ferry comes in at ten.").waitFor();
    await visitor.button("email-preview").click();
    const mail = page.frameLocator("iframe.gh-pe-iframe");
    await mail.getByText("The last ferry comes in at ten.").waitFor();
    await page.getByText("Close", { exact: true }).filter({ visible: true }).first().click();
  });

  step("schedules it", async (visitor, page) => {
    await visitor.button("publish-flow").click();
    const when = page.locator('[data-test-setting="publish-at"]');
    await when.locator("[data-test-setting-title]").click();
    await page.getByText("Schedule for later", { exact: true }).click();
    await when.locator("[data-test-date-time-picker-date-input]").fill("2090-12-24");
    await page.keyboard.press("Tab");
    await visitor.confirmPublishing();
    const { status, published_at } = await post("harbour-at-night");
    assert.equal(status, "scheduled");
    assert.match(published_at, /^2090-12-24T/);
    assert.equal(await readers("harbour-at-night"), undefined);
  });

  step("finds it in the list, and reverts it to a draft", async (visitor, page) => {
    await visitor.open("/posts");
    const row = page.getByTestId("posts-list-item").filter({ hasText: "The harbour at night" });
    await row.getByText("Scheduled").waitFor();
    await row.getByRole("link").first().click();
    await visitor.button("update-flow").click();
    await visitor.button("revert-to-draft").click();
    await page.locator("[data-test-editor-post-status]").getByText("Draft").waitFor();
    await eventually("a draft", async () => (await post("harbour-at-night")).status === "draft");
  });

  step("publishes it for readers", async (visitor) => {
    await visitor.publish();
    const { title, html, custom_excerpt, tags, primary_author, feature_image } = await readers("harbour-at-night");
    assert.equal(title, "The harbour at night");
    assert.match(html, /^<p>The last ferry comes in at ten\.<\/p><hr><p>After the line\.<\/p><figure class="kg-card kg-image-card"/);
    assert.equal(custom_excerpt, "What comes in after ten.");
    assert.deepEqual([tags[0].name, primary_author.name], ["Harbours", "Ada Lovelace"]);
    assert.equal((await fetch(feature_image)).status, 200);
  });

  step("changes it", async (visitor, page) => {
    const { id } = await post("harbour-at-night");
    await visitor.open(`/editor/post/${id}`);
    await page.locator("[data-test-editor-title-input]").fill("The harbour in the morning");
    await visitor.button("publish-save").click();
    await page.getByText("Updated", { exact: true }).first().waitFor();
    assert.equal((await readers("harbour-at-night")).title, "The harbour in the morning");
  });

  step("restores an earlier version", async (visitor, page) => {
    await openSettings();
    await page.locator('[data-test-toggle="post-history"]').click();
    await page.locator("[data-test-revision-item]").nth(1).locator('[data-test-button="preview-revision"]').click();
    await page.locator('[data-test-button="restore-revision"]').filter({ visible: true }).first().click();
    await page.locator('[data-test-modal="restore-revision"] [data-test-button="restore"]').click();
    await page.getByText(/restored/i).first().waitFor();
  });

  step("publishes a page", async (visitor) => {
    await visitor.write("page", "About us", "We live by the water.");
    await visitor.saved();
    await visitor.publish();
    const { pages } = await site.read("pages/slug/about-us/");
    assert.equal(pages[0].html, "<p>We live by the water.</p>");
    await visitor.open("/pages");
    await visitor.page.getByTestId("posts-list-item").filter({ hasText: "About us" }).waitFor();
  });

  step("publishes an audio file", async (visitor, page) => {
    await visitor.write("post", "In the fog", "Listen.");
    await choose(silence, () => addCard("Audio"));
    // The player's controls appear when the file is uploaded.
    await page.locator('[data-kg-card="audio"]').getByText("1×").waitFor();
    await visitor.saved();
    await visitor.publish();
    const { html } = await readers("in-the-fog");
    const [, source] = /<audio src="([^"]+)"/.exec(html);
    const valid = await fetch(source);
    assert.deepEqual(Buffer.from(await valid.arrayBuffer()), silence.buffer);
  });

  step("publishes a clip", async (visitor, page) => {
    await visitor.write("post", "The tide comes in", "Watch.");
    const clip = await recordVideo(page);
    await choose(clip, () => addCard("Video"));
    await page.locator('[data-kg-card="video"]').getByText("Type caption for video").waitFor();
    await visitor.settle();
    await visitor.saved();
    await visitor.publish();
    const { html } = await readers("the-tide-comes-in");
    const [, source] = /<video src="([^"]+)"/.exec(html);
    const served = await fetch(source);
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), clip.buffer);
  });

  step("writes Markdown in a card whose buttons have icons", async (visitor, page) => {
    await visitor.write("post", "The tide in Markdown", "Before the card.");
    await addCard("Markdown");
    const card = page.locator('[data-kg-card="markdown"]');
    const buttons = card.locator(".editor-toolbar a, .editor-toolbar button");
    await buttons.first().waitFor();
    await visitor.settle();
    const icons = await buttons.evaluateAll((all) =>
      all.map((button) => {
        const { content, fontFamily } = getComputedStyle(button, "::before");
        return { button: button.className, content, fontFamily };
      }),
    );
    assert.ok(icons.length > 5, `${icons.length} buttons`);
    for (const { button, content, fontFamily } of icons) {
      assert.match(content, /^".+"$/, button);
      assert.match(fontFamily, /FontAwesome/, button);
    }
    assert.ok(await page.evaluate(() => document.fonts.check("14px FontAwesome")), "the font of the icons is loaded");
    await card.locator(".fa-check").click();
    await card.locator(".CodeMirror").click();
    await page.keyboard.type("A word that is mispeled.");
    await card.locator(".cm-spell-error", { hasText: "mispeled" }).waitFor();
    await visitor.saved();
  });

  step("saves text as a snippet, and inserts it again", async (visitor, page) => {
    await visitor.write("post", "Every week", "Write to the harbour master.");
    await visitor.saved();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+End");
    await page.getByRole("button", { name: "Save as snippet" }).click();
    await page.getByPlaceholder("Snippet name").fill("Harbour master");
    await page.keyboard.press("Enter");
    await page.getByText('Snippet saved as "Harbour master"').waitFor();
    await visitor.write("post", "This week", "Fog.");
    await page.keyboard.press("Enter");
    await visitor.type("/harbour");
    await page.keyboard.press("Enter");
    await visitor.saved();
    await visitor.publish();
    assert.match((await readers("this-week")).html, /^<p>Fog\.<\/p><p>Write to the harbour master\.<\/p>/);
  });

  step("adds a tag and describes it", async (visitor, page) => {
    await visitor.open("/tags/new");
    await page.locator('[data-test-input="tag-name"]').fill("Ferries");
    await page.locator('[data-test-input="tag-description"]').fill("What crosses the water.");
    await page.locator('[data-test-input="accentColor"]').fill("0a6a5f");
    await page.keyboard.press("Tab");
    await visitor.button("save").click();
    await visitor.waitForPath(/^\/tags\/ferries/);
    const { tags } = await visitor.admin("GET", "tags/slug/ferries/");
    assert.equal(tags[0].description, "What crosses the water.");
    assert.equal(tags[0].accent_color, "#0a6a5f");
    await visitor.open("/tags");
    await page.getByTestId("tag-list-row").filter({ hasText: "Ferries" }).waitFor();
  });

  step("deletes a post", async (visitor, page) => {
    await visitor.write("post", "A mistake", "Not this.");
    await visitor.saved();
    await openSettings();
    await visitor.button("delete-post").click();
    await page.locator(".modal-content").getByRole("button", { name: "Delete" }).click();
    await visitor.waitForPath(/^\/posts/);
    const { posts } = await visitor.admin("GET", "posts/?filter=slug:a-mistake");
    assert.deepEqual(posts, []);
  });
});
