// The screens of the app that show pages of the site, with a theme that renders these pages.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe } from "node:test";

import { eventually } from "../../examples/galley.js";
import { fileOf } from "../reader-scripts.js";
import { openSite } from "./site.js";
import { stepOf } from "./steps.js";

/** The URL from which pages load the scripts for readers. */
const CDN = "https://cdn.jsdelivr.net/ghost/";

/** Serves the scripts for readers from npm's packages, and a placeholder for demonstrations of themes. */
async function serveOtherHosts(page) {
  await page.context().route(`${CDN}**`, async (route) => {
    const [, name, file] = /ghost\/([\w-]+)@[^/]+\/umd\/(.+)$/.exec(route.request().url());
    // The posts have no comments, so this script is not needed.
    const body = name === "comments-ui" ? "" : await fileOf(name, file);
    const contentType = file.endsWith(".css") ? "text/css" : "text/javascript";
    await route.fulfill({ body, contentType, headers: { "access-control-allow-origin": "*" } });
  });
  await page.context().route("https://*.ghost.io/**", (route) => route.fulfill({ body: "A demonstration.", contentType: "text/plain" }));
}

/** Starts a fake GitHub, on which the archive of every repository is `archive`. */
async function startGitHub() {
  const github = createServer((request, response) => {
    if (request.url.startsWith("/repos/")) response.writeHead(302, { location: "/archive" }).end();
    else response.end(github.archive);
  });
  await once(github.listen(0, "127.0.0.1"), "listening");
  return Object.assign(github, { url: `http://127.0.0.1:${github.address().port}` });
}

describe("pages of the site in the app", () => {
  let site;
  let github;
  const visitor = () => site.visitor;
  const stepHere = stepOf(visitor);
  const step = (name, act, { allowed = [] } = {}) =>
    stepHere(name, act, {
      allowed: [new RegExp(`^other host: ${CDN}`), ...allowed],
      before: async () => {
        await visitor().page.goto("about:blank");
      },
    });

  before(async () => {
    github = await startGitHub();
    const more = [`themes.github = "${github.url}"`, "private_receivers = true", 'reader_scripts = "ghost"'];
    site = await openSite({ frontEnd: "theme", more });
    await serveOtherHosts(site.visitor.page);
    await site.visitor.admin("POST", "posts/", { posts: [{ title: "High water", status: "published" }] });
    const archive = await site.visitor.page.context().request.get(`${site.url}/ghost/api/admin/themes/source/download/`, {
      headers: { Origin: site.url },
    });
    github.archive = await archive.body();
  });

  after(async () => {
    github?.close();
    await site?.close();
  });

  /** Returns the visible frame in which the app shows a page with unsaved settings. */
  const preview = (name) => site.visitor.page.getByTestId(name).frameLocator("[data-visible=true]");

  /** Returns the accent colour of the page in a frame. */
  const accent = (frame) =>
    frame.locator("html").evaluate((html) => getComputedStyle(html).getPropertyValue("--ghost-accent-color").trim());

  /** Returns the home page as readers see it. */
  const home = () => fetch(site.url).then((response) => response.text());

  step("view the site, then a page with the toolbar", async (visitor, page) => {
    await visitor.open("/site");
    await page.frameLocator("iframe").first().getByText("High water").waitFor();
    const marked = await page.context().request.get(site.url);
    assert.match(await marked.text(), /data-ghost-admin-toolbar/);
    assert.doesNotMatch(await home(), /admin-toolbar/);
  });

  step("preview a colour, and save it", async (visitor, page) => {
    await visitor.open("/settings/design/edit");
    const modal = page.getByTestId("design-modal");
    const before = await home();
    await modal.getByTestId("accent-color-picker").getByRole("button").first().click();
    await page.locator('input[value="#15171A" i]').filter({ visible: true }).last().fill("#cd5786");
    await page.keyboard.press("Enter");
    await eventually("the colour in the preview", async () => (await accent(preview("theme-preview").first())) === "#cd5786");
    assert.equal(await home(), before);
    await page.keyboard.press("Escape");
    await modal.getByRole("button", { name: "Save", exact: true }).click();
    await visitor.settle();
    assert.match(await home(), /--ghost-accent-color: #cd5786;/i);
  });

  step("try an announcement", async (visitor, page) => {
    await visitor.open("/settings/announcement-bar/edit");
    const isForVisitors = (request) => request.headers()["x-ghost-preview"]?.includes("announcement_vis=visitors");
    const previewed = page.waitForResponse((response) => isForVisitors(response.request()));
    await page.locator("#announcement-visitors").click();
    await previewed;
    await visitor.type("The pier is closed.", page.locator("#modal-backdrop [contenteditable=true]").first());
    const frame = preview("announcement-bar-preview-iframe");
    await frame.getByText("The pier is closed.").waitFor();
    await frame.getByText("High water").waitFor();
  });

  step("try Portal", async (visitor, page) => {
    await visitor.open("/settings/portal/edit");
    const form = page.frameLocator("iframe").first().frameLocator("iframe").first();
    await form.getByText("Already a member?").waitFor();
  });

  step("preview a draft on its future page", async (visitor, page) => {
    await visitor.write("post", "Low water", "Not yet.");
    await visitor.saved();
    await visitor.button("publish-preview").click();
    const frame = page.frameLocator("iframe").last();
    await frame.getByRole("heading", { name: "Low water" }).waitFor();
    await frame.getByText("The Eskerry Letter").first().waitFor();
  });

  step("view a private site without its password", async (visitor, page) => {
    const keep = (isPrivate) =>
      visitor.admin("PUT", "settings/", { settings: [{ key: "is_private", value: isPrivate }, { key: "password", value: "tide" }] });
    await keep(true);
    await visitor.open("/site");
    await page.frameLocator("iframe").first().getByText("High water").waitFor();
    await visitor.open("/settings/design/edit");
    await preview("theme-preview").first().getByText("High water").waitFor();
    await keep(false);
  });

  step("install a theme of the catalog", async (visitor, page) => {
    await visitor.open("/settings/design/change-theme");
    const modal = page.getByTestId("theme-modal");
    await modal.getByRole("button", { name: /^Solo/ }).click();
    await modal.getByRole("button", { name: "Install Solo" }).click();
    await page.getByRole("button", { name: "Activate theme" }).click();
    await visitor.settle();
    const { themes } = await visitor.admin("GET", "themes/");
    assert.ok(themes.some(({ name, active }) => name === "solo" && active), JSON.stringify(themes));
    // The catalog shows the theme's demonstration.
  }, { allowed: [/^other host: https:\/\/solo\.ghost\.io\/$/] });

  step("upload a theme", async (visitor, page) => {
    await visitor.open("/settings/design/change-theme");
    const modal = page.getByTestId("theme-modal");
    await modal.getByText("Upload theme").click();
    const choosing = page.waitForEvent("filechooser");
    await page.getByText("Click to select").click();
    const chooser = await choosing;
    await chooser.setFiles({ name: "tide.zip", mimeType: "application/zip", buffer: github.archive });
    await page.getByText("Upload successful").waitFor();
    const { themes } = await visitor.admin("GET", "themes/");
    assert.ok(themes.some(({ name }) => name === "tide"), JSON.stringify(themes));
  });
});
