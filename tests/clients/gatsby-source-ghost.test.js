// gatsby-source-ghost: a Gatsby site creates its nodes from all published records.
//
// Gatsby calls the plugin's sourceNodes. The nodes that the plugin passes to createNode become the site's data, with the types
// that createSchemaCustomization declares.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import plugin from "gatsby-source-ghost/gatsby-node.js";
import GhostContentAPI from "@tryghost/content-api";

import { orchard, serve } from "./galley.js";

const types = ["Author", "Page", "Post", "Settings", "Tag", "Tiers"];

describe("gatsby-source-ghost", () => {
  let galley;
  let content;
  let nodes;

  before(async () => {
    galley = await serve(orchard);
    content = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
    nodes = await sourceNodes({ apiUrl: galley.url, contentApiKey: galley.key });
  });

  after(() => galley.stop());

  /** Returns all nodes that the plugin creates, by type. The plugin does not wait for the tiers, but a build of Gatsby does. */
  async function sourceNodes(options) {
    const made = Object.fromEntries(types.map((type) => [type, []]));
    await new Promise((resolve, reject) => {
      const createNode = (node) => {
        made[node.internal.type.replace("Ghost", "")].push(node);
        if (types.every((type) => made[type].length > 0)) setImmediate(resolve);
      };
      plugin.sourceNodes({ actions: { createNode } }, options).catch(reject);
    });
    return made;
  }

  const slugs = (records) => records.map(({ slug }) => slug).sort();

  test("every published record becomes a node", async () => {
    for (const [type, resource] of [["Post", "posts"], ["Page", "pages"], ["Tag", "tags"], ["Author", "authors"]]) {
      assert.deepEqual(slugs(nodes[type]), slugs(await content[resource].browse({ limit: "all" })));
    }
    assert.deepEqual(slugs(nodes.Tiers), ["free", "grower"]);
  });

  test("posts have both formats, tags and authors", () => {
    const harvest = nodes.Post.find(({ slug }) => slug === "harvest");
    assert.match(harvest.html, /<p>/);
    assert.equal(typeof harvest.plaintext, "string");
    assert.deepEqual(slugs(harvest.authors), ["ada", "ben"]);
    assert.equal(harvest.primary_tag.slug, "trees");
  });

  test("tags and authors have post counts", () => {
    for (const { slug, postCount } of [...nodes.Tag, ...nodes.Author]) {
      assert.ok(postCount > 0, slug);
    }
  });

  test("settings are one node", () => {
    assert.equal(nodes.Settings.length, 1);
    const [{ title, codeinjection_styles }] = nodes.Settings;
    assert.deepEqual([title, codeinjection_styles], ["The Orchard", ""]);
  });

  test("every required field of the plugin's types is present", () => {
    let schema;
    plugin.createSchemaCustomization({ actions: { createTypes: (text) => (schema = text) } });
    for (const [, type, body] of schema.matchAll(/type Ghost(\w+) implements Node \{([^}]*)\}/g)) {
      const required = [...body.matchAll(/(\w+): [^!\n]*!/g)].map(([, field]) => field);
      for (const node of nodes[type]) {
        for (const field of required) {
          assert.notEqual(node[field] ?? null, null, `${type} ${node.slug} has no ${field}`);
        }
      }
    }
  });
});
