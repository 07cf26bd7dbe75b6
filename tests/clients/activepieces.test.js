// The Ghost piece of Activepieces: flows write posts, manage members, and start on events of the site.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";

import pieces from "@activepieces/piece-ghostcms";

import { forAutomations, noContent, owner, serve } from "./galley.js";

const { ghostcms } = pieces;

describe("@activepieces/piece-ghostcms", () => {
  let galley;
  let auth;
  let receiver;
  let webhookUrl;

  before(async () => {
    galley = await serve(noContent, ...forAutomations);
    const { adminKey } = await galley.setUp("Flows");
    auth = { props: { baseUrl: galley.url, apiKey: adminKey } };
    receiver = createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        response.end();
        receiver.emit("delivery", JSON.parse(Buffer.concat(parts)));
      });
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    webhookUrl = `http://127.0.0.1:${receiver.address().port}/flow`;
  });

  after(async () => {
    await galley.stop();
    receiver.close();
  });

  const run = (action, propsValue) => ghostcms.getAction(action).run({ auth, propsValue });

  /** Returns the options of an action's field. */
  async function choices(action, field) {
    const { options } = await ghostcms.getAction(action).props[field].options({ auth });
    return options;
  }

  /** Starts a flow that waits for `trigger`, runs `change`, and resolves to the input of the flow. */
  async function startedBy(trigger, change) {
    const stored = new Map();
    const store = { put: async (key, value) => stored.set(key, value), get: async (key) => stored.get(key) };
    const { onEnable, onDisable, run: start } = ghostcms.getTrigger(trigger);
    await onEnable({ auth, store, webhookUrl });
    const delivery = once(receiver, "delivery", { signal: AbortSignal.timeout(10_000) });
    await change();
    const [body] = await delivery;
    await onDisable({ auth, store, webhookUrl });
    return start({ auth, store, payload: { body } });
  }

  const post = (more) => ({ title: "By a flow", status: "draft", html: "<p>Flowing</p>", author: owner.email, ...more });

  test("creates a post with an author and tags from the lists", async () => {
    assert.deepEqual(await choices("create_post", "author"), [{ label: owner.name, value: owner.email }]);
    const { posts: [created] } = await run("create_post", post({ slug: "flow", tags: ["Streams"], featured: true }));
    assert.deepEqual([created.slug, created.featured, created.authors[0].email], ["flow", true, owner.email]);
    assert.deepEqual(await choices("create_post", "tags"), [{ label: "Streams", value: "Streams" }]);
  });

  // Without an author, the piece sends `authors: [null]`, which Ghost refuses as well.
  test("rejects a post without an author", async () => {
    await assert.rejects(run("create_post", post({ author: undefined })), (error) => {
      assert.equal(error.response.status, 422);
      return true;
    });
  });

  test("creates, finds and updates a member", async () => {
    const [newsletter] = await choices("create_member", "newsletters");
    const written = { email: "ivy@example.com", name: "Ivy", newsletters: [newsletter.value] };
    const { members: [created] } = await run("create_member", written);
    assert.deepEqual(created.newsletters.map(({ id }) => id), [newsletter.value]);
    assert.deepEqual(await choices("update_member", "member"), [{ label: "Ivy", value: created.id }]);
    await run("update_member", { member: created.id, note: "likes mail" });
    const { members: [found] } = await run("find_member", { email: "ivy@example.com" });
    assert.deepEqual([found.id, found.name, found.note], [created.id, "Ivy", "likes mail"]);
  });

  test("finds a user by email address", async () => {
    const { users } = await run("find_user", { email: owner.email });
    assert.deepEqual(users.map(({ name }) => name), [owner.name]);
  });

  test("sends custom requests", async () => {
    const { body } = await run("custom_api_call", { method: "GET", url: { url: "/site/" } });
    assert.equal(body.site.title, "Flows");
  });

  test("triggers flows when a post is published or scheduled, or a page published", async () => {
    const [published] = await startedBy("post_published", () => run("create_post", post({ status: "published" })));
    assert.deepEqual([published.post.current.title, published.post.current.status], ["By a flow", "published"]);
    const later = { status: "scheduled", publishedAt: "2035-05-05T05:05:05.000Z" };
    const [scheduled] = await startedBy("post_scheduled", () => run("create_post", post(later)));
    assert.equal(scheduled.post.current.published_at, later.publishedAt);
    const pages = [{ title: "About flows", status: "published" }];
    const [page] = await startedBy("page_published", () =>
      run("custom_api_call", { method: "POST", url: { url: "/pages/" }, body_type: "json", body: { data: { pages } } }),
    );
    assert.equal(page.page.current.slug, "about-flows");
  });

  test("triggers flows when a member is added, edited or deleted", async () => {
    const email = "ron@example.com";
    let id;
    const [added] = await startedBy("member_added", async () => {
      ({ members: [{ id }] } = await run("create_member", { email }));
    });
    assert.equal(added.member.current.email, email);
    const [edited] = await startedBy("member_edited", () => run("update_member", { member: id, name: "Ron" }));
    assert.deepEqual([edited.member.current.name, "name" in edited.member.previous], ["Ron", true]);
    const [deleted] = await startedBy("member_deleted", () =>
      run("custom_api_call", { method: "DELETE", url: { url: `/members/${id}/` } }),
    );
    assert.equal(deleted.member.previous.email, email);
  });
});
