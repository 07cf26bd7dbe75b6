// The exact requests of other clients: n8n, edwh-ghost, gatsby-source-ghost and hand-written pages.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { orchard, serve } from "./galley.js";

describe("requests of clients as recorded", () => {
  let galley;

  before(async () => {
    galley = await serve(orchard);
  });

  after(() => galley.stop());

  /** Requests `target` with `{key}` replaced by the key. Redirects are not followed by default. */
  const ask = (target, options) =>
    fetch(galley.url + target.replace("{key}", galley.key), { redirect: "manual", ...options });

  const json = async (target, options) => {
    const response = await ask(target, options);
    assert.equal(response.status, 200, target);
    return response.json();
  };

  test("the printed curl command works", async () => {
    const { posts, meta } = await (await fetch(galley.example)).json();
    assert.equal(posts.length, 3);
    assert.equal(meta.pagination.total, 7);
    assert.deepEqual(Object.keys(posts[0]).sort(), ["title", "url"]);
  });

  test("n8n: versioned path, no trailing slash, lists in brackets", async () => {
    const target =
      "/ghost/api/v3/content/posts?include%5B%5D=authors&include%5B%5D=tags&limit=2&key={key}";
    const { posts } = await json(target, { redirect: "follow" });
    assert.equal(posts.length, 2);
    assert.ok(posts[0].authors && posts[0].tags);
  });

  test("n8n: spaces in a list of fields", async () => {
    const { posts } = await json("/ghost/api/v3/content/posts/?fields=id,+updated_at&key={key}");
    assert.deepEqual(Object.keys(posts[0]).sort(), ["id", "updated_at"]);
  });

  test("parameters with numbered brackets form a list", async () => {
    const target = "/ghost/api/content/posts/?include[0]=authors&include[1]=tags&limit=1&key={key}";
    const { posts } = await json(target);
    assert.ok(posts[0].authors && posts[0].tags);
  });

  test("edwh-ghost: an empty filter matches everything", async () => {
    const { posts } = await json("/ghost/api/v4/content/posts/?filter=&limit=100&key={key}");
    assert.equal(posts.length, 7);
  });

  test("gatsby-source-ghost: all records in one request, with relations and formats", async () => {
    const target =
      "/ghost/api/content/posts/?limit=all&include=tags,authors,count.posts&formats=html,plaintext&filter=visibility:-none&key={key}";
    const { posts } = await json(target, { headers: { "Accept-Version": "v5.0" } });
    assert.equal(posts.length, 7);
    assert.ok(posts.every((post) => typeof post.html === "string"));
  });

  for (const [prefix, version] of [["v2", "v2"], ["v3", "v3"], ["v4", "v4"], ["canary", "v4"]]) {
    test(`the prefix ${prefix} works and is deprecated`, async () => {
      const response = await ask(`/ghost/api/${prefix}/content/settings/?key={key}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("deprecation"), `version="${version}"`);
      assert.equal(
        response.headers.get("link"),
        `<https://orchard.example/ghost/api/content/settings/?key=${galley.key}>; rel="latest-version"`,
      );
    });
  }

  for (const version of ["v5", "v0.1"]) {
    test(`the prefix ${version} is not found`, async () => {
      const response = await ask(`/ghost/api/${version}/content/settings/?key={key}`);
      assert.equal(response.status, 404);
    });
  }

  test("a missing trailing slash is redirected", async () => {
    const response = await ask("/ghost/api/content/tags?limit=1&key={key}");
    assert.equal(response.status, 301);
    assert.equal(
      response.headers.get("location"),
      `/ghost/api/content/tags/?limit=1&key=${galley.key}`,
    );
  });

  test("CORS allows browsers to read the response", async () => {
    const response = await ask("/ghost/api/content/posts/?key={key}", {
      headers: { Origin: "https://reader.example" },
    });
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
  });

  test("the response for a list has `meta`, the one for a single record does not", async () => {
    assert.equal("meta" in (await json("/ghost/api/content/posts/slug/bees/?key={key}")), false);
    assert.ok("meta" in (await json("/ghost/api/content/posts/?filter=slug:bees&key={key}")));
  });

  test("unknown parameters are ignored", async () => {
    const { posts } = await json("/ghost/api/content/posts/?allFilter=true&utm=x&key={key}");
    assert.equal(posts.length, 7);
  });

  test("the API version is returned, and the site endpoint needs no key", async () => {
    const response = await ask("/ghost/api/admin/site/");
    assert.equal(response.headers.get("content-version"), "v6.65");
    const { site } = await response.json();
    assert.equal(site.title, "The Orchard");
    assert.match(site.version, /^6\./);
  });
});
