// The settings of a site: changes are visible to readers, and features that Galley does not have are refused with a message.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe } from "node:test";

import { openSite, pixel } from "./site.js";
import { stepOf } from "./steps.js";

describe("settings", () => {
  let site;
  const visitor = () => site.visitor;
  const stepHere = stepOf(visitor);
  /** A step that begins on the page of all settings, whatever page the previous step left open. */
  const step = (name, act, options) =>
    stepHere(name, act, {
      before: async () => {
        await visitor().page.goto("about:blank");
        await visitor().open("/settings");
      },
      ...options,
    });
  const settings = () => site.read("settings/").then(({ settings }) => settings);

  before(async () => {
    site = await openSite();
    await site.visitor.open("/settings");
  });

  after(() => site?.close());

  /** Returns a group of the page of all settings. */
  const group = (name) => site.visitor.page.getByTestId(name);

  /** Saves the changes in a group, or in a dialog. */
  async function save(within) {
    await within.getByRole("button", { name: "Save", exact: true }).first().click();
    await site.visitor.settle();
  }

  /** Chooses an option from a list. */
  async function select(field, option) {
    await field.click();
    await site.visitor.page.getByRole("option", { name: option }).first().click();
  }

  step("change title and description", async (visitor, page) => {
    const within = group("title-and-description");
    await within.getByRole("button", { name: "Edit" }).click();
    await within.getByLabel("Site title").fill("The Harbour Letter");
    await within.getByLabel("Site description").fill("News from the pier.");
    await save(within);
    const { title, description } = await settings();
    assert.deepEqual([title, description], ["The Harbour Letter", "News from the pier."]);
  });

  step("change the time zone", async (visitor, page) => {
    await page.getByTestId("timezone-select").click();
    await page.keyboard.type("Kathmandu");
    await page.getByRole("option", { name: /Kathmandu/ }).first().click();
    await save(group("timezone"));
    assert.equal((await settings()).timezone, "Asia/Kathmandu");
  });

  step("change the meta data", async () => {
    const within = group("seometa");
    await within.getByLabel("Meta title").fill("Harbour news");
    await save(within);
    assert.equal((await settings()).meta_title, "Harbour news");
  });

  step("change the social accounts", async (visitor, page) => {
    const within = group("social-accounts");
    await within.getByLabel("Facebook").fill("https://www.facebook.com/harbour");
    await page.keyboard.press("Tab");
    await save(within);
    assert.equal((await settings()).facebook, "harbour");
  });

  step("change the navigation", async (visitor, page) => {
    await visitor.open("/settings/navigation/edit");
    await page.locator("#navigation-label-new").fill("Ferries");
    await page.locator("#navigation-url-new").fill("/tag/ferries/");
    await page.keyboard.press("Tab");
    await page.getByTestId("add-button").click();
    await page.getByTestId("ok-modal").click();
    await visitor.settle();
    const { navigation } = await settings();
    assert.deepEqual(navigation.at(-1), { label: "Ferries", url: "/tag/ferries/" });
  });

  step("change the announcement, and show it", async (visitor, page) => {
    await visitor.open("/settings/announcement-bar/edit");
    // The app requests a preview after each change and shows the preview that arrives last, even if it is for an earlier change.
    const isForVisitors = (request) => request.headers()["x-ghost-preview"]?.includes("announcement_vis=visitors");
    const previewed = page.waitForResponse((response) => isForVisitors(response.request()));
    await page.locator("#announcement-visitors").click();
    await previewed;
    await visitor.type("The pier is closed.", page.locator("#modal-backdrop [contenteditable=true]").first());
    const preview = page.getByTestId("announcement-bar-preview-iframe").frameLocator("[data-visible=true]");
    await preview.getByText("The pier is closed.").waitFor();
    await save(page.locator("#modal-backdrop"));
    const { settings: all } = await visitor.admin("GET", "settings/?group=announcement");
    const value = (key) => all.find((setting) => setting.key === key).value;
    assert.match(value("announcement_content"), /The pier is closed\./);
    assert.equal(value("announcement_visibility"), '["visitors"]');
  });

  step("change the cover", async (visitor, page) => {
    await visitor.open("/settings/design/edit");
    await page.locator("#cover").setInputFiles({ ...pixel, name: "cover.png" });
    await page.getByTestId("publication-cover-preview").or(page.getByTestId("cover-image-preview")).or(page.locator('img[src*="cover.png"]')).first().waitFor();
    await save(page.getByTestId("design-modal"));
    assert.match((await settings()).cover_image, /\/cover\.png$/);
  });

  step("block spam domains", async (visitor) => {
    const within = group("spam-filters");
    await within.getByRole("textbox").fill("spam.example\nmore.example");
    await visitor.page.keyboard.press("Tab");
    await save(within);
    await visitor.page.reload();
    await visitor.settle();
    assert.equal(await group("spam-filters").getByRole("textbox").inputValue(), "spam.example\nmore.example");
  });

  for (const [switched, reason] of Object.entries({
    "#email-opens": "Galley does not track who opens mails",
    "#email-clicks": "Galley does not track who opens mails",
  })) {
    step(
      `refuse ${switched} with an explanation`,
      async (visitor, page) => {
        await page.locator(switched).click();
        await save(group("analytics"));
        await page.getByText(reason).first().waitFor();
        await page.reload();
        await visitor.settle();
        assert.equal(await page.locator(switched).getAttribute("aria-checked"), "false");
      },
      { allowed: [/^PUT \/ghost\/api\/admin\/settings\/ is 422: .*Galley /, /^message: .*Galley /, /^console: .*Galley /, /^exception: .*Galley /] },
    );
  }

  step(
    "refuse welcome e-mails and Ghost Explore with an explanation",
    async (visitor, page) => {
      await page.getByTestId("explore-toggle").click();
      await page.getByText("Galley sends nothing to Ghost Explore.").first().waitFor();
      await page.getByTestId("free-welcome-email-row").getByRole("switch").click();
      await page.getByText("Galley sends no welcome mails.").first().waitFor();
    },
    { allowed: [/ is (400|422): .*Galley /, /^message: .*Galley /, /^console: .*Galley /, /^console: .*automated emails/] },
  );

  for (const switched of ["#outbound-link-tagging", "#member-sources"]) {
    step(`keep the switch ${switched}`, async (visitor, page) => {
      const before = await page.locator(switched).getAttribute("aria-checked");
      await page.locator(switched).click();
      await save(group("analytics"));
      await page.reload();
      await visitor.settle();
      assert.notEqual(await page.locator(switched).getAttribute("aria-checked"), before);
    });
  }

  step("add an integration with a webhook", async (visitor, page) => {
    await visitor.open("/settings/integrations/new");
    await page.locator("#integration-name").fill("Reader");
    await page.getByTestId("ok-modal").click();
    await page.getByText("Content API key").first().waitFor();
    await page.getByRole("button", { name: "Add webhook" }).click();
    const webhook = page.getByTestId("webhook-modal");
    await webhook.getByLabel("Name").fill("Rebuild");
    await select(webhook.getByTestId("event-select"), "Post published");
    await webhook.getByLabel("Target URL").fill("https://hooks.example/rebuild");
    await webhook.getByTestId("ok-modal").click();
    await page.getByText("hooks.example/rebuild").first().waitFor();
    const { integrations } = await visitor.admin("GET", "integrations/?include=webhooks,api_keys");
    const added = integrations.find(({ name }) => name === "Reader");
    assert.equal(added.webhooks[0].target_url, "https://hooks.example/rebuild");
    const key = added.api_keys.find(({ type }) => type === "content").secret;
    assert.equal((await fetch(`${site.url}/ghost/api/content/posts/?key=${key}`)).status, 200);
  });

  step("add a newsletter", async (visitor, page) => {
    await visitor.open("/settings/newsletters/new");
    await page.getByLabel("Name").fill("Tides");
    await page.getByTestId("ok-modal").click();
    await visitor.settle();
    const { newsletters } = await visitor.admin("GET", "newsletters/");
    assert.ok(newsletters.some(({ name }) => name === "Tides"));
  });

  step("add a tier", async (visitor, page) => {
    await visitor.open("/settings/tiers/add");
    await page.locator("#tier-name").fill("Harbour friends");
    await page.locator("#tier-monthly-price").fill("5");
    await page.locator("#tier-yearly-price").fill("50");
    await page.getByTestId("ok-modal").click();
    await visitor.settle();
    const { tiers } = await visitor.admin("GET", "tiers/");
    assert.ok(tiers.some(({ name }) => name === "Harbour friends"));
  });

  step("recommend a site", async (visitor, page) => {
    await visitor.open("/settings/recommendations/add");
    await page.getByLabel("URL").fill("https://harbour.example/");
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator("#recommendation-title").fill("The Harbour");
    await page.getByTestId("add-recommendation-modal").getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Recommendation added").waitFor();
    const { recommendations } = await site.read("recommendations/");
    assert.deepEqual(recommendations.map(({ title, url }) => [title, url]), [["The Harbour", "https://harbour.example/"]]);
  });

  step("change Portal", async (visitor, page) => {
    await visitor.open("/settings/portal/edit");
    const within = page.locator("#modal-backdrop");
    await within.getByRole("tab", { name: "Look & feel" }).click();
    const before = (await settings()).portal_button;
    await within.getByRole("switch").first().click();
    await save(within);
    assert.notEqual((await settings()).portal_button, before);
  });

  step(
    "switch on features in Labs, and refuse the ones that Galley does not have with an explanation",
    async (visitor, page) => {
      const labs = async () => {
        await page.goto("about:blank");
        await visitor.open("/settings/labs");
        await group("labs").getByRole("button", { name: "Open" }).click();
      };
      const feature = (name) => group("labs").getByText(name).locator("xpath=ancestor::*[.//button[@role='switch']][1]").getByRole("switch");
      for (const name of ["Enhanced Editor role (beta)", "Show post excerpt inline", "Navigation icons & visibility"]) {
        await labs();
        await feature(name).click();
        await visitor.settle();
        await labs();
        assert.equal(await feature(name).getAttribute("aria-checked"), "true", name);
      }
      await feature("Additional payment methods").click();
      await page.getByText("Galley takes no payments.").first().waitFor();
      await labs();
      await feature("Automations (beta)").click();
      await page.getByRole("button", { name: "Enable" }).click();
      await page.getByText("Galley has no automations.").first().waitFor();
      await labs();
      for (const name of ["Additional payment methods", "Automations (beta)"]) {
        assert.equal(await feature(name).getAttribute("aria-checked"), "false", name);
      }
    },
    { allowed: [/^PUT \/ghost\/api\/admin\/settings\/ is 422: .*Galley /, /^message: .*Galley /, /^console: .*Galley /, /^exception: .*Galley /] },
  );

  step("inject code", async (visitor, page) => {
    await group("code-injection").getByRole("button", { name: "Open" }).click();
    await visitor.type("<meta name='pier'>", page.locator(".cm-content").first());
    await save(page.getByTestId("modal-code-injection"));
    assert.match((await settings()).codeinjection_head, /<meta name='pier'>/);
  });

  step("export the content", async (visitor, page) => {
    await visitor.open("/settings/migration");
    await group("migrationtools").getByRole("tab", { name: "Export" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Content & settings" }).click(),
    ]);
    assert.match(file.suggestedFilename(), /\.json$/);
    const { db } = JSON.parse(await readFile(await file.path(), "utf8"));
    assert.ok(db[0].data.settings.length > 0);
  });

  step("import content", async (visitor, page) => {
    const post = { id: "6b07a525d140380284000077", title: "From elsewhere", slug: "from-elsewhere", html: "<p>Moved.</p>", status: "published" };
    const file = { db: [{ meta: { version: "6.0.0" }, data: { posts: [post] } }] };
    await visitor.open("/settings/migration");
    await page.getByRole("button", { name: "Universal import" }).click();
    await page.locator("input[type=file]").setInputFiles({
      name: "elsewhere.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(file)),
    });
    await visitor.settle();
    const { posts } = await site.read("posts/slug/from-elsewhere/");
    assert.equal(posts[0].html, "<p>Moved.</p>");
  });

  step("take a routes file", async (visitor, page) => {
    await visitor.open("/settings/labs");
    const routes = { name: "routes.yaml", mimeType: "application/yaml", buffer: Buffer.from("routes:\n  /pier/: pier\n") };
    await group("labs").getByRole("button", { name: "Open" }).click();
    await group("labs").getByRole("tab", { name: "Beta features" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByText("Upload routes file").click(),
    ]);
    await chooser.setFiles(routes);
    await page.getByText(/uploaded/i).first().waitFor();
    assert.match(await visitor.admin("GET", "settings/routes/yaml/"), /\/pier\//);
  });

  step("delete all content", async (visitor, page) => {
    await visitor.open("/settings/dangerzone");
    await page.getByTestId("delete-all-content").getByRole("button", { name: /Delete/ }).click();
    await page.getByTestId("ok-modal").last().click();
    await page.getByText(/deleted/i).first().waitFor();
    assert.deepEqual((await site.read("posts/")).posts, []);
  });
});
