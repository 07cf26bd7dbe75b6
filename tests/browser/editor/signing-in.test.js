// Set-up, and signing in and out.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { openSite, owner, title } from "./site.js";
import { stepOf } from "./steps.js";
import { SIGNED_OUT } from "./watch.js";

describe("a new site", () => {
  let site;
  let visitor;
  const step = stepOf(() => visitor);

  before(async () => {
    site = await openSite({ isSetUp: false });
    visitor = site.visitor;
  });

  after(() => site?.close());

  step(
    "is set up in the browser",
    async (_, page) => {
      await visitor.open("/");
      await visitor.waitForPath(/^\/setup/);
      await page.locator("[data-test-blog-title-input]").fill(title);
      await page.locator("[data-test-name-input]").fill(owner.name);
      await page.locator("[data-test-email-input]").fill(owner.email);
      await page.locator("[data-test-password-input]").fill(owner.password);
      await visitor.button("setup").click();
      await visitor.waitForPath(/^\/(analytics|posts|setup\/(done|onboarding))/);
      assert.equal((await site.read("settings/")).settings.title, title);
    },
    { allowed: SIGNED_OUT },
  );

  step("shows who is signed in", async (_, page) => {
    await visitor.open("/posts");
    await page.getByRole("button", { name: "User menu" }).getByText(owner.email).waitFor();
  });

  step(
    "signs the owner out",
    async (_, page) => {
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await visitor.waitForPath(/^\/signin/);
    },
    { allowed: SIGNED_OUT },
  );

  step(
    "shows that a password is wrong, and that an e-mail address is unknown",
    async (_, page) => {
      await visitor.signIn({ ...owner, password: "wrong horse battery" });
      await page.getByText("The password is incorrect.").waitFor();
      await visitor.signIn({ ...owner, email: "no-one@example.com" });
      await page.getByText("No user has this e-mail address.").waitFor();
    },
    { allowed: [/^POST \/ghost\/api\/admin\/session is (422|404)/] },
  );

  step("signs the owner in again", async () => {
    await visitor.signIn(owner);
    await visitor.waitForPath(/^\/(analytics|posts)/);
  });

  step(
    "requires a code from an e-mail in another browser",
    async () => {
      visitor = await site.visit();
      await visitor.open("/");
      await visitor.waitForPath(/^\/signin/);
      await visitor.signIn(owner);
      await visitor.waitForPath(/^\/signin\/verify/);
      const [, code] = await site.mailbox.find(owner.email, /\b(\d{6})\b/);
      await visitor.page.locator('[data-test-input="token"]').fill(code);
      await visitor.button("verify").click();
      await visitor.waitForPath(/^\/(analytics|posts)/);
    },
    { allowed: [...SIGNED_OUT, /^POST \/ghost\/api\/admin\/session is 403: .*2FA/] },
  );

  step(
    "sends a link for a forgotten password",
    async () => {
      visitor = await site.visit();
      await visitor.open("/signin");
      await visitor.page.locator('input[name="identification"]').fill(owner.email);
      await visitor.page.getByRole("button", { name: "Forgot?" }).click();
      const [link] = await site.mailbox.find(owner.email, /http\S+\/reset\/[^\s"<]+/);
      await visitor.page.goto(link);
      const password = "a longer horse battery";
      await visitor.page.locator('input[name="newPassword"]').fill(password);
      await visitor.page.locator('input[name="ne2Password"]').fill(password);
      await visitor.page.getByRole("button", { name: "Save new password" }).click();
      await visitor.waitForPath(/^\/(analytics|posts|signin)/);
    },
    { allowed: SIGNED_OUT },
  );
});
