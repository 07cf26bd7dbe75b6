// The Ghost node of n8n: a workflow creates, reads, updates and deletes posts.
//
// The node is the unmodified one of n8n-nodes-base. This file replaces n8n itself: it passes the parameters of the workflow, lets
// the credentials authenticate each request, and sends the request with axios, which writes lists as `include[]=authors`.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";

import axios from "axios";

import { noContent, owner, serve } from "./galley.js";

const require = createRequire(import.meta.url);
const { Ghost } = require("n8n-nodes-base/dist/nodes/Ghost/Ghost.node.js");
const { GhostAdminApi } = require("n8n-nodes-base/dist/credentials/GhostAdminApi.credentials.js");
const { GhostContentApi } = require("n8n-nodes-base/dist/credentials/GhostContentApi.credentials.js");

const credentialTypes = { ghostAdminApi: new GhostAdminApi(), ghostContentApi: new GhostContentApi() };

describe("the Ghost node of n8n", () => {
  const node = new Ghost();
  let galley;
  let credentials;
  let authors;

  before(async () => {
    galley = await serve(noContent);
    const { adminKey, contentKey } = await galley.setUp("Workflows");
    credentials = {
      ghostAdminApi: { url: galley.url, apiKey: adminKey },
      ghostContentApi: { url: galley.url, apiKey: contentKey },
    };
    authors = await node.methods.loadOptions.getAuthors.call(host({ source: "adminApi" }));
  });

  after(() => galley.stop());

  /** Returns the execution context that n8n passes to a node with these parameters. */
  function host(parameters) {
    return {
      getNode: () => ({ name: "Ghost", type: "n8n-nodes-base.ghost", typeVersion: 1, parameters }),
      getInputData: () => [{ json: {} }],
      getTimezone: () => "Europe/Berlin",
      getNodeParameter: (name) => structuredClone(parameters[name]),
      getCredentials: async (type) => credentials[type],
      continueOnFail: () => false,
      helpers: {
        requestWithAuthentication,
        returnJsonArray: (data) => [data].flat().map((json) => (json.json ? json : { json })),
        constructExecutionMetaData: (items, { itemData }) =>
          items.map((item) => ({ ...item, pairedItem: itemData })),
      },
    };
  }

  async function requestWithAuthentication(type, options) {
    const { method, uri: url, qs: params, body, headers } = await credentialTypes[type].authenticate(
      credentials[type],
      options,
    );
    const data = Object.keys(body).length > 0 ? body : undefined;
    return (await axios({ method, url, params, headers, data })).data;
  }

  /** Returns the output of the node, which is the input of the next node in the workflow. */
  async function run(source, operation, parameters) {
    const [items] = await node.execute.call(host({ resource: "post", source, operation, options: {}, ...parameters }));
    return items.map(({ json }) => json);
  }

  const asEditor = (operation, parameters) => run("adminApi", operation, parameters);
  const asReader = (operation, parameters) => run("contentApi", operation, parameters);
  const mobiledoc = JSON.stringify({
    version: "0.3.1",
    atoms: [],
    cards: [],
    markups: [],
    sections: [[1, "p", [[0, [], 0, "From a workflow"]]]],
  });

  async function create(title, more) {
    const parameters = { title, contentFormat: "html", content: "<p>From a workflow</p>", additionalFields: {}, ...more };
    const [post] = await asEditor("create", parameters);
    return post;
  }

  test("the credential test succeeds", async () => {
    for (const [type, { test: trial }] of Object.entries(credentialTypes)) {
      const options = { method: "GET", uri: galley.url + trial.request.url, qs: {}, body: {} };
      assert.ok(await requestWithAuthentication(type, options));
    }
  });

  test("lists authors and tags for the workflow editor", async () => {
    await create("Tagged", { additionalFields: { tags: ["Robots"] } });
    assert.deepEqual(authors.map(({ name }) => name), [owner.name]);
    const tags = await node.methods.loadOptions.getTags.call(host({ source: "adminApi" }));
    assert.deepEqual(tags, [{ name: "Robots", value: "Robots" }]);
  });

  test("creates a post from HTML, Mobiledoc and Lexical", async () => {
    const { lexical } = await create("As HTML");
    const fromMobiledoc = await create("As mobiledoc", { contentFormat: "mobileDoc", content: mobiledoc });
    const fromLexical = await create("As lexical", { contentFormat: "lexical", content: lexical });
    for (const { id } of [fromMobiledoc, fromLexical]) {
      const [read] = await asEditor("get", { by: "id", identifier: id, options: { formats: ["html"] } });
      assert.equal(read.html, "<p>From a workflow</p>");
    }
  });

  test("creates and publishes a post with every option", async () => {
    const additionalFields = {
      authors: [authors[0].value],
      featured: true,
      meta_title: "For machines",
      published_at: "2025-03-01T12:00:00",
      slug: "filled-in",
      status: "published",
      tags: ["Robots", "Forms"],
    };
    await create("Filled in", { additionalFields });
    const options = { include: ["authors", "tags"], formats: ["html", "plaintext"] };
    const [post] = await asReader("get", { by: "slug", identifier: "filled-in", options });
    assert.deepEqual(post.tags.map(({ name }) => name), ["Robots", "Forms"]);
    assert.deepEqual([post.primary_author.name, post.featured, post.meta_title], [owner.name, true, "For machines"]);
    assert.equal(post.plaintext, "From a workflow");
    assert.equal(Date.parse(post.published_at), Date.parse("2025-03-01T12:00:00+01:00"), "n8n's own time zone");
  });

  test("schedules a post", async () => {
    const additionalFields = { status: "scheduled", published_at: "2030-01-01T08:00:00" };
    assert.equal((await create("Next decade", { additionalFields })).status, "scheduled");
  });

  test("updates a post with its body", async () => {
    const { id } = await create("First words");
    const updateFields = { title: "Last words", content: "<p>Goodbye</p>", status: "published" };
    const [updated] = await asEditor("update", { postId: id, contentFormat: "html", updateFields });
    assert.deepEqual([updated.title, updated.status], ["Last words", "published"]);
    const [read] = await asReader("get", { by: "id", identifier: id, options: { fields: "title, html" } });
    assert.deepEqual(read, { id, title: "Last words", html: "<p>Goodbye</p>" });
  });

  test("lists posts with and without a limit, and drafts only with the Admin API", async () => {
    for (let number = 0; number < 55; number += 1) await create(`Number ${number}`);
    const some = await asEditor("getAll", { returnAll: false, limit: 3, options: { include: ["tags"] } });
    assert.equal(some.length, 3);
    assert.ok(some.every(({ tags }) => Array.isArray(tags)));
    const all = await asEditor("getAll", { returnAll: true });
    assert.ok(all.length > 55, "n8n requests pages of 50");
    const published = await asReader("getAll", { returnAll: true });
    assert.deepEqual(published.map(({ slug }) => slug).sort(), ["filled-in", "first-words"]);
    assert.equal((await asReader("getAll", { returnAll: false, limit: 1 })).length, 1);
  });

  test("deletes a post", async () => {
    const { id } = await create("Not for long");
    await asEditor("delete", { postId: id });
    await assert.rejects(asEditor("get", { by: "id", identifier: id }), { status: 404 });
  });
});
