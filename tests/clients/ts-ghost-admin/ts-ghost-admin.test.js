// @ts-ghost/admin-api with @ts-ghost/core-api: every request and response is checked against a schema.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { TSGhostAdminAPI } from "@ts-ghost/admin-api";

import { forAutomations, noContent, owner, serve } from "../galley.js";

/** Returns the data of a successful response. The client has already thrown if its schema does not accept the response. */
function accepted(result) {
  assert.equal(result.success, true, JSON.stringify(result.errors));
  return result.data;
}

describe("@ts-ghost/admin-api", () => {
  let galley;
  let api;

  before(async () => {
    galley = await serve(noContent, ...forAutomations);
    const { adminKey } = await galley.setUp("Typed");
    api = new TSGhostAdminAPI(galley.url, adminKey, "v5.0");
  });

  after(() => galley.stop());

  const date = (text) => new Date(text);

  for (const resource of ["posts", "pages"]) {
    test(`${resource} are added, browsed, read, edited and deleted`, async () => {
      const written = { title: "Typed words", html: "<p>Checked.</p>", tags: [{ name: "Types" }] };
      const added = accepted(await api[resource].add(written, { source: "html" }));
      assert.equal(added.status, "draft");
      assert.equal(JSON.parse(added.lexical).root.children.length, 1);

      const relations = { authors: true, tags: true, tiers: true };
      const formats = { html: true, lexical: true, plaintext: true };
      const browsed = await api[resource].browse().include(relations).formats(formats).fetch();
      assert.deepEqual(accepted(browsed).map(({ html }) => html), ["<p>Checked.</p>"]);
      assert.equal(browsed.meta.pagination.total, 1);

      const { id, slug, updated_at } = added;
      assert.equal(accepted(await api[resource].read({ slug }).fetch()).id, id);
      const picked = await api[resource].read({ id }).fields({ title: true, status: true }).fetch();
      assert.deepEqual(Object.keys(accepted(picked)).sort(), ["status", "title"]);

      const change = { status: "published", authors: [{ email: owner.email }], updated_at: date(updated_at) };
      const edited = accepted(await api[resource].edit(id, change));
      assert.equal(edited.status, "published");
      assert.equal(edited.primary_author.name, owner.name);

      accepted(await api[resource].delete(id));
      const gone = await api[resource].read({ id }).fetch();
      assert.deepEqual([gone.success, gone.errors[0].type], [false, "NotFoundError"]);
    });
  }

  test("tags are added, browsed with their counts, read, edited and deleted", async () => {
    const added = accepted(await api.tags.add({ name: "Rivers", accent_color: "#0055aa" }));
    const post = accepted(await api.posts.add({ title: "Upstream", tags: [{ slug: "rivers" }], status: "published" }));
    const tags = accepted(await api.tags.browse().include({ "count.posts": true }).fetch());
    assert.equal(tags.find(({ id }) => id === added.id).count.posts, 1);
    assert.equal(accepted(await api.tags.edit(added.id, { name: "Streams" })).name, "Streams");
    assert.equal(accepted(await api.tags.read({ slug: "rivers" }).fetch()).name, "Streams");
    accepted(await api.tags.delete(added.id));
    accepted(await api.posts.delete(post.id));
  });

  // The client's schema requires an avatar image for each member, which Galley provides with `members.gravatar`.
  test("members are added with labels, browsed, read, edited and deleted", async () => {
    const written = { email: "mo@example.com", name: "Mo", labels: [{ name: "Friend" }] };
    const { id } = accepted(await api.members.add(written, { send_email: false }));
    const members = accepted(await api.members.browse({ filter: "email:'mo@example.com'" }).fetch());
    assert.deepEqual(members.map((member) => member.id), [id]);
    const edited = accepted(await api.members.edit(id, { note: "met in March" }));
    assert.deepEqual([edited.name, edited.note], ["Mo", "met in March"]);
    assert.equal(accepted(await api.members.read({ id }).fetch()).labels[0].slug, "friend");
    accepted(await api.members.delete(id));
    assert.deepEqual(accepted(await api.members.browse().fetch()), []);
  });

  test("newsletters are browsed, added and edited", async () => {
    const written = { name: "Dispatch", sender_name: "The desk", show_badge: false };
    const { id } = accepted(await api.newsletters.add(written, { opt_in_existing: false }));
    assert.equal(accepted(await api.newsletters.edit(id, { name: "Dispatches" })).name, "Dispatches");
    const newsletters = accepted(await api.newsletters.browse().fetch());
    assert.equal(newsletters.length, 2);
    assert.equal(accepted(await api.newsletters.read({ id }).fetch()).sender_name, "The desk");
  });

  test("tiers are browsed and read with prices and benefits", async () => {
    const include = { monthly_price: true, yearly_price: true, benefits: true };
    const tiers = accepted(await api.tiers.browse().include(include).fetch());
    assert.deepEqual(tiers.map(({ type }) => type).sort(), ["free", "paid"]);
    const [{ id, name }] = tiers;
    assert.equal(accepted(await api.tiers.read({ id }).include(include).fetch()).name, name);
  });

  test("offers are added, edited, browsed and read", async () => {
    const tier = accepted(await api.tiers.browse().fetch()).find(({ type }) => type === "paid");
    const written = {
      name: "Spring",
      code: "spring",
      type: "percent",
      cadence: "year",
      amount: 10,
      duration: "once",
      tier: { id: tier.id },
    };
    const { id } = accepted(await api.offers.add(written));
    assert.equal(accepted(await api.offers.edit(id, { display_title: "Spring!" })).display_title, "Spring!");
    assert.deepEqual(accepted(await api.offers.browse().fetch()).map(({ code }) => code), ["spring"]);
    assert.equal(accepted(await api.offers.read({ id }).fetch()).amount, 10);
  });

  test("users are browsed, and read by id and e-mail address", async () => {
    const [user] = accepted(await api.users.browse().fetch());
    assert.equal(user.name, owner.name);
    assert.equal(accepted(await api.users.read({ id: user.id }).fetch()).slug, user.slug);
    assert.equal(accepted(await api.users.read({ email: owner.email }).fetch()).id, user.id);
  });

  test("webhooks are added, edited and deleted", async () => {
    const written = { event: "post.published", target_url: "https://build.example/hook", name: "Build" };
    const { id, status } = accepted(await api.webhooks.add(written));
    assert.equal(status, "available");
    const edited = accepted(await api.webhooks.edit(id, { event: "site.changed" }));
    assert.equal(edited.event, "site.changed");
    accepted(await api.webhooks.delete(id));
  });

  test("the site is read", async () => {
    const site = accepted(await api.site.fetch());
    assert.equal(site.title, "Typed");
  });

  test("settings are read", async () => {
    const settings = accepted(await api.settings.fetch());
    assert.equal(settings.find(({ key }) => key === "title").value, "Typed");
  });

  test("the second of two concurrent updates is rejected", async () => {
    const { id, updated_at } = accepted(await api.posts.add({ title: "Wanted by two" }));
    accepted(await api.posts.edit(id, { title: "Mine", updated_at: date(updated_at) }));
    const late = await api.posts.edit(id, { title: "No, mine", updated_at: date("2001-01-01") });
    assert.deepEqual([late.success, late.errors[0].type], [false, "UpdateCollisionError"]);
  });
});
