// Every screen of the app, on a desktop and on a phone.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { eventually } from "../../examples/galley.js";
import { phone } from "../chromium.js";
import { openSite } from "./site.js";
import { stepOf } from "./steps.js";

/** The maximum time until the editor is usable with a warm cache, in milliseconds, with a margin for busy machines. */
const EDITOR_MS_MAX = 10_000;

const SETTINGS = [
  "general", "timezone", "publication-language", "metadata", "social-accounts", "analytics", "staff", "staff/ada",
  "design/edit", "theme", "theme/install", "navigation/edit", "announcement-bar/edit", "portal/edit", "members", "locksite",
  "spam-filters", "tiers", "tiers/add", "offers/edit", "newsletters", "newsletters/new", "memberemails", "enable-newsletters",
  "default-recipients", "mailgun", "recommendations", "recommendations/add", "recommendations/edit", "embed-signup-form/show",
  "integrations", "integrations/new", "integrations/zapier", "integrations/slack", "integrations/unsplash",
  "integrations/firstpromoter", "integrations/pintura", "integrations/transistor", "code-injection/edit", "labs",
  "history/view", "about", "migration", "dangerzone", "comments", "network", "explore", "stripe-connect",
];

const SCREENS = [
  "/analytics", "/analytics/growth", "/analytics/newsletters", "/posts", "/posts?type=draft", "/pages", "/tags", "/tags/new",
  "/members", "/members/new", "/members/import", "/members-activity", "/comments", "/editor/post", "/editor/page", "/site",
  "/my-profile", "/automations", "/settings", ...SETTINGS.map((name) => `/settings/${name}`),
];

/** The requests to other hosts that screens send when they are opened, and the messages about their failure. */
const OUTSIDE = {
  // Visitors of other sites load this code from a host of Ghost; the content security policy blocks it here.
  "/settings/embed-signup-form/show": [/^other host: https:\/\/cdn\.jsdelivr\.net\//, /^console: Loading the script 'https:\/\/cdn\.jsdelivr/],
};

/** Opens a screen, and asserts that it is shown. */
async function shows(visitor, screen) {
  await visitor.open(screen);
  const text = await eventually(`something on ${screen}`, async () => {
    const text = await visitor.page.locator("body").innerText();
    return text.trim().length > 20 && text;
  });
  assert.doesNotMatch(text, /page not found|something went wrong|loading interrupted/i);
}

describe("at a desk", () => {
  let site;
  const step = stepOf(() => site.visitor);

  before(async () => {
    site = await openSite();
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  for (const screen of SCREENS) {
    step(`opens ${screen}`, (visitor) => shows(visitor, screen), { allowed: OUTSIDE[screen] });
  }

  step("has a usable editor quickly with a warm cache", async (visitor, page) => {
    const times = [];
    for (let round = 0; round < 3; round += 1) {
      await page.goto("about:blank");
      const start = performance.now();
      await page.goto(`${site.url}/ghost/#/editor/post`);
      await page.locator("[data-test-editor-title-input]").fill("Soon");
      times.push(Math.round(performance.now() - start));
      await page.reload();
    }
    const time = Math.min(...times);
    console.log(`a usable editor after ${time} ms (${times.join(", ")})`);
    assert.ok(time < EDITOR_MS_MAX, `${time} ms`);
  });
});

describe("on a phone", () => {
  let site;
  const step = stepOf(() => site.visitor);

  before(async () => {
    site = await openSite({ device: { ...phone, viewport: { width: 390, height: 780 } } });
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  step("writes a post, and gives it an excerpt", async (visitor, page) => {
    await visitor.write("post", "From the ferry", "Written with a thumb.");
    await visitor.saved();
    await page.locator("[data-test-psm-trigger]").tap();
    await page.locator('[data-test-field="custom-excerpt"]').fill("Short.");
    await page.keyboard.press("Tab");
    await visitor.settle();
    const { posts } = await visitor.admin("GET", "posts/");
    assert.deepEqual([posts[0].title, posts[0].custom_excerpt], ["From the ferry", "Short."]);
  });

  for (const screen of ["/posts", "/pages", "/members", "/settings", "/settings/navigation/edit"]) {
    step(`opens ${screen}`, (visitor) => shows(visitor, screen));
  }
});
