// Newsletters, from the editor to a member's mailbox, and posts of content files.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";

import { awkwardSite } from "../sites.js";
import { openSite, owner } from "./site.js";
import { stepOf } from "./steps.js";

describe("a newsletter", () => {
  let site;
  const step = stepOf(() => site.visitor);

  before(async () => {
    site = await openSite();
    await site.visitor.admin("POST", "members/", { members: [{ email: "mia@example.com", name: "Mia Tern" }] });
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  step("is previewed with a test e-mail", async (visitor, page) => {
    await visitor.write("post", "Tides of the week", "High water at noon.");
    await visitor.saved();
    await visitor.button("publish-preview").click();
    await visitor.button("email-preview").click();
    await page.frameLocator("iframe.gh-pe-iframe").getByText("High water at noon.", { exact: true }).waitFor();
    await visitor.button("post-preview-test-email").click();
    await visitor.button("send-test-email").click();
    const [subject] = await site.mailbox.find(owner.email, /Subject: .*Tides of the week/);
    assert.match(subject, /TEST/);
    // Leaves the preview. The escape key would close it together with its menu, or only the menu.
    await page.reload();
    await visitor.settle();
  });

  step("is published and sent, and arrives", async (visitor) => {
    await visitor.publish();
    await site.mailbox.find("mia@example.com", /High water at noon\./);
    const { posts } = await site.read("posts/slug/tides-of-the-week/");
    assert.equal(posts[0].html, "<p>High water at noon.</p>");
  });

  step("shows the number of recipients", async (visitor, page) => {
    await visitor.open("/posts");
    await page.getByTestId("posts-list-item").filter({ hasText: "Tides of the week" }).getByText(/sent/i).first().waitFor();
    const { emails } = await visitor.admin("GET", "emails/");
    const { email_statuses } = await visitor.admin("GET", `emails/${emails[0].id}/status/`);
    assert.deepEqual(email_statuses[0].sending.progress.completed, 1);
  });
});

describe("a post from a content file", () => {
  let site;
  let post;
  const step = stepOf(() => site.visitor);

  before(async () => {
    site = await openSite({ content: awkwardSite });
    const { posts } = await site.visitor.admin("GET", "posts/?filter=status:published&limit=1");
    post = posts[0];
    await site.visitor.open("/posts");
  });

  after(() => site?.close());

  step("is listed", (_, page) => page.getByTestId("posts-list-item").filter({ hasText: post.title }).first().waitFor());

  step(
    "is not changed, and the refusal is explained",
    async (visitor, page) => {
      await visitor.open(`/editor/post/${post.id}`);
      await page.locator("[data-test-editor-title-input]").fill("Another title");
      await visitor.button("publish-save").click();
      await page.getByText(/content file/).first().waitFor();
      const { posts } = await site.read(`posts/${post.id}/`);
      assert.equal(posts[0].title, post.title);
    },
    { allowed: [/^PUT \/ghost\/api\/admin\/posts\/\S+ is 4\d\d: .*file/, /^(message|console|exception): .*file/] },
  );
});
