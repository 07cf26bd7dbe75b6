// Feed readers, crawlers and validators read the feeds and the sitemap.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";

import { parseJsonFeed, parseRssFeed } from "feedsmith";
import validator from "jsonfeed-validator";
import { ErrorLevel, parseSitemap, parseSitemapIndex } from "sitemap";

import { orchard, sampleSite, serve } from "./galley.js";

for (const [name, content] of Object.entries({ orchard, sampleSite })) {
  describe(`feeds and sitemaps of ${name}`, () => {
    let galley;
    let posts;

    const text = async (path) => {
      const response = await fetch(`${galley.url}${path}`);
      assert.equal(response.status, 200, path);
      return response.text();
    };

    before(async () => {
      galley = await serve(content);
      const list = `${galley.url}/ghost/api/content/posts/?key=${galley.key}&limit=all&include=tags,authors`;
      posts = (await (await fetch(list)).json()).posts;
    });

    after(async () => {
      assert.equal(await galley.stop(), 0);
    });

    test("RSS contains the newest posts with their full text", async () => {
      const feed = parseRssFeed(await text("/rss/"));
      assert.deepEqual(
        feed.items.map((item) => item.title),
        posts.slice(0, 15).map((post) => post.title),
      );
      const place = posts.findIndex((post) => post.html);
      const [item, post] = [feed.items[place], posts[place]];
      assert.equal(item.link, post.url);
      assert.equal(new Date(item.pubDate).getTime(), new Date(post.published_at).getTime());
      assert.deepEqual(
        item.dc.creators ?? [item.dc.creator],
        post.authors.map((author) => author.name),
      );
      assert.ok(item.content.encoded.includes(post.html.slice(0, 20)), item.content.encoded);
    });

    test("JSON Feed conforms to its schema", async () => {
      const json = JSON.parse(await text("/feed.json"));
      const feed = parseJsonFeed(json);
      assert.equal(feed.items.length, Math.min(15, posts.length));
      // The schema is for version 1, in which an item has one author and no language.
      const { language, ...first } = json;
      const items = json.items.map(({ authors, ...item }) => ({ ...item, author: authors[0] }));
      const older = { ...first, version: "https://jsonfeed.org/version/1", items };
      assert.ok(validator(older), JSON.stringify(validator.errors));
    });

    test("the sitemap contains each page once", async () => {
      const strict = { level: ErrorLevel.THROW };
      const parts = await parseSitemapIndex(Readable.from([await text("/sitemap.xml")]), strict);
      const urls = [];
      for (const part of parts) {
        const path = new URL(part.url).pathname;
        const entries = await parseSitemap(Readable.from([await text(path)]), strict);
        urls.push(...entries.map((entry) => entry.url));
      }
      assert.equal(new Set(urls).size, urls.length);
      for (const post of posts) {
        const isHere = !post.canonical_url || post.canonical_url === post.url;
        assert.equal(urls.includes(post.url), isHere, post.url);
      }
      assert.match(await text("/robots.txt"), /^Sitemap: https?:\/\/.*\/sitemap\.xml$/m);
    });
  });
}
