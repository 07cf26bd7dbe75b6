// Members, and staff of each role.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { openSite } from "./site.js";
import { stepOf } from "./steps.js";
import { SIGNED_OUT } from "./watch.js";

describe("members", () => {
  let site;
  const step = stepOf(() => site.visitor);
  const member = (email) =>
    site.visitor.admin("GET", `members/?filter=email:'${email}'&include=labels,newsletters`).then(({ members }) => members[0]);

  before(async () => {
    site = await openSite();
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  step("are added, with a label", async (visitor, page) => {
    await visitor.open("/members/new");
    await page.locator("#member-name").fill("Mia Tern");
    await page.locator("#member-email").fill("mia@example.com");
    await page.locator("#member-note").fill("Rows across.");
    await page.getByTestId("member-labels-field").locator("input").fill("Islanders");
    await page.getByText('Create "Islanders"').click();
    // A request creates the label; a member that is saved before it would not have the label.
    await visitor.settle();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save" }).click();
    await visitor.waitForPath(/^\/members\/[0-9a-f]{24}/);
    const { name, note, labels, newsletters } = await member("mia@example.com");
    assert.deepEqual([name, note, labels.map((label) => label.name)], ["Mia Tern", "Rows across.", ["Islanders"]]);
    assert.equal(newsletters.length, 1);
  });

  step("are changed", async (visitor, page) => {
    await page.locator("#member-name").fill("Mia Gull");
    await page.getByRole("button", { name: /Save|Retry/ }).click();
    await visitor.settle();
    assert.equal((await member("mia@example.com")).name, "Mia Gull");
  });

  step("are imported", async (visitor, page) => {
    await visitor.open("/members/import");
    const csv = "email,name,labels\nann@example.com,Ann,Islanders\nben@example.com,Ben,\n";
    await page.locator("input[type=file]").setInputFiles({ name: "m.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByRole("button", { name: "Import 2 members" }).click();
    await page.getByText("Import complete").waitFor();
    await page.getByRole("button", { name: "View members" }).click();
    assert.ok((await member("ann@example.com")).labels.some(({ name }) => name === "Islanders"));
  });

  step("are found, and exported", async (visitor, page) => {
    const listed = (name) => page.getByTestId("members-list-item").filter({ hasText: name });
    await visitor.open("/members");
    await page.getByTestId("members-search-input").fill("ben@");
    await listed("Mia").waitFor({ state: "detached" });
    await listed("Ben").waitFor();
    await page.getByTestId("members-search-input").fill("");
    await listed("Mia").waitFor();
    await page.getByTestId("members-actions").click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export all members" }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^members.*\.csv$/);
  });

  step(
    "are deleted",
    async (visitor, page) => {
      await visitor.open(`/members/${(await member("ben@example.com")).id}`);
      await page.getByTestId("member-actions").click();
      await page.getByTestId("member-actions-delete").click();
      await page.getByTestId("confirm-delete-member").click();
      await visitor.waitForPath(/^\/members$/);
      await visitor.settle();
      assert.equal(await member("ben@example.com"), undefined);
    },
    // The app requests the deleted member once more.
    { allowed: [/^GET \/ghost\/api\/admin\/members\/[0-9a-f]{24}\/\S* is 404/] },
  );
});

/** For each role by its name in the invitation, the screens that it can open from the menu. */
const ROLES = {
  administrator: ["/analytics", "/posts", "/pages", "/tags", "/members", "/comments", "/settings", "/settings/staff", "/settings/history/view"],
  editor: ["/posts", "/pages", "/tags", "/members", "/comments", "/settings", "/settings/staff"],
  author: ["/posts", "/pages", "/tags", "/settings"],
  contributor: ["/posts", "/settings"],
};

describe("staff", () => {
  let site;
  let visitor;
  const step = stepOf(() => visitor);

  before(async () => {
    site = await openSite();
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  for (const [role, screens] of Object.entries(ROLES)) {
    const email = `${role}@example.com`;

    step(`invite an ${role}`, async () => undefined, {
      before: async () => {
        visitor = site.visitor;
        const { page } = visitor;
        await visitor.open("/settings/staff");
        await page.getByRole("button", { name: "Invite people" }).click();
        await page.locator("#invite-email").fill(email);
        await page.locator(`#invite-role-${role}`).click();
        await page.getByTestId("ok-modal").click();
        await page.getByText("Invitation sent").waitFor();
        await visitor.open("/posts");
      },
    });

    step(
      `sign up as ${role} with the link in the e-mail`,
      async () => {
        const { page } = visitor;
        const [link] = await site.mailbox.find(email, /http\S+\/signup\/[^\s"<]+/);
        await page.goto(link);
        await page.locator('[data-test-input="name"]').fill(`Some ${role}`);
        await page.locator('[data-test-input="password"]').fill("correct horse battery");
        await visitor.button("signup").click();
        await visitor.waitForPath(/^\/(?!signup)/);
      },
      { allowed: SIGNED_OUT, before: async () => (visitor = await site.visit()) },
    );

    for (const screen of [...screens, "/my-profile", "/site"]) {
      step(`show ${screen} to an ${role}`, () => visitor.open(screen));
    }

    step(`let an ${role} write a draft`, async () => {
      await visitor.write("post", `By an ${role}`, "Words.");
      await visitor.saved();
      const { posts } = await visitor.admin("GET", "posts/?include=authors&order=created_at%20desc");
      const post = posts.find(({ title }) => title === `By an ${role}`);
      assert.deepEqual([post.status, post.authors[0].name], ["draft", `Some ${role}`]);
      await visitor.open("/posts");
    });
  }

  step("change their profile", async (_, page) => {
    await visitor.open("/my-profile");
    await page.getByLabel("Full name").fill("Some writer");
    await page.getByRole("button", { name: "Save" }).first().click();
    await visitor.settle();
    const { users } = await visitor.admin("GET", "users/me/");
    assert.equal(users[0].name, "Some writer");
  });
});
