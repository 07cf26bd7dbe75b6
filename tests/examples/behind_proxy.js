// Tests that run for each proxy with an example. curl sends the requests, to https://example.com.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  adminToken,
  eventually,
  newFolder,
  run,
  sampleSite,
  serve,
  start,
  succeed,
} from "./galley.js";

/** The number of requests with wrong keys after which the API refuses further ones from the same address. */
const WRONG_KEYS_MAX = 100;

/**
 * Tests three configurations of a proxy: Galley serves all of https://example.com; Galley serves the APIs of a separate front
 * end; and Galley is at https://example.com/blog.
 *
 * `startProxy(part, site)` starts the proxy with the configuration `part` ("whole", "front-end" or "subdirectory"), and
 * resolves to its `port` and `stop`. `site` contains the values for the configuration: the `address` on which Galley listens,
 * `certificate` and `certificateKey`, the folder `pages` with the front end, and a folder `scratch`.
 */
export function worksBehind(name, startProxy) {
  describe(`${name}, at the root of the site`, () => {
    let site;

    before(async () => {
      site = await setUp("https://example.com", (parts) => startProxy("whole", parts));
    });

    after(() => site?.stop());

    test("serves the APIs", () => servesApis(site));

    test("serves each path as Galley does", async () => {
      const paths = [...PATHS_OF_GALLEY, "/", "/the-winter-timetable/", "/healthz", "/robots.txt", "/missing/"];
      await servesAsGalley(site, paths);
    });

    test("passes compressed responses and 304", async () => {
      const path = `/ghost/api/content/posts/?key=${site.key}`;
      const head = await site.get(path, "--head", "--header", "Accept-Encoding: br");
      assert.match(head, /^content-encoding: br\r$/im);
      const etag = /^etag: (.*)\r$/im.exec(await site.get(path, "--head"))[1];
      const again = ["--header", `If-None-Match: ${etag}`, "--write-out", "%{http_code}"];
      assert.equal(await site.get(path, ...again), "304");
    });

    test("redirects a missing trailing slash to the same host", async () => {
      const lead = ["--output", "/dev/null", "--write-out", "%{http_code} %{redirect_url}"];
      const path = `/ghost/api/content/posts?key=${site.key}`;
      const [status, url] = (await site.get(path, ...lead)).split(" ");
      assert.equal(status, "301");
      assert.equal(url, `${site.origin}/ghost/api/content/posts/?key=${site.key}`);
    });

    test("lets browsers cache images for an hour", async () => {
      const head = await site.get("/content/images/night-ferry.png", "--head");
      assert.match(head, /^HTTP\S+ 200/);
      const stored = [...head.matchAll(/^cache-control: (.*)\r$/gim)].map(([, value]) => value);
      assert.ok(stored.length === 1 && stored[0].includes("max-age=3600"), head);
    });

    test("accepts an image of several megabytes", async () => {
      // Bytes after the end of the image data are not part of the photo; they make the upload large.
      const photo = join(site.scratch, "long.png");
      const short = await readFile(join(sampleSite, "images/night-ferry.png"));
      await writeFile(photo, Buffer.concat([short, randomBytes(6 << 20)]));
      const upload = await site.get(
        "/ghost/api/admin/images/upload/",
        ...["--header", `Authorization: Ghost ${adminToken(site.adminKey)}`],
        ...["--form", `file=@${photo}`],
      );
      const { url } = JSON.parse(upload).images[0];
      assert.match(url, /^https:\/\/example\.com\/content\/images\/\d{4}\/\d\d\/long\.png$/);
      assert.match(await site.get(new URL(url).pathname, "--head"), /^content-type: image\/png\r$/im);
    });

    test("forwards events and long polls without delay", async () => {
      const changes = `/ghost/api/content/changes/?key=${site.key}`;
      const { revision } = JSON.parse(await site.get(`${changes}&limit=1000`)).meta;
      const events = site.start(`${changes}&since=${revision}`, "--header", "Accept: text/event-stream");
      const waiting = site.start(`${changes}&since=${revision}&wait=30`);
      await eventually("the stream to begin", () => events.said().includes("retry:"));

      await site.publish("Heard of");
      const published = Date.now();
      await eventually("the event", () => events.said().includes('"slug":"heard-of"'));
      await eventually("the reply", () => waiting.said().includes('"slug":"heard-of"'));
      const took = Date.now() - published;
      assert.ok(took < 1000, `after ${took} ms`);
      await events.stop();
    });

    test("forwards the client's address, whatever header the client sends", async () => {
      const posts = "/ghost/api/content/posts/";
      const statusFor = (address, key, count) => {
        const options = ["--interface", address, "--output", "/dev/null", "--write-out", "%{http_code} "];
        const forged = ["--header", "X-Forwarded-For: 192.0.2.1"];
        return site.get(`${posts}?key=${key}&n=[1-${count}]`, ...options, ...forged);
      };
      const wrong = "0".repeat(26);
      const refused = (await statusFor("127.0.0.2", wrong, WRONG_KEYS_MAX)).trim().split(" ");
      assert.deepEqual([...new Set(refused)], ["401"]);
      assert.equal(await statusFor("127.0.0.2", wrong, 1), "429 ");
      assert.equal(await statusFor("127.0.0.3", wrong, 1), "401 ", "another client is not blocked");
    });
  });

  describe(`${name}, beside a front end`, () => {
    let site;

    before(async () => {
      const settings = 'front_end = "https://example.com"\n';
      site = await setUp("https://example.com", (parts) => startProxy("front-end", parts), settings);
    });

    after(() => site?.stop());

    test("serves the APIs and the front end", async () => {
      await servesApis(site);
      assert.equal(await site.get("/"), "The front end.\n");
    });

    test("forwards the paths of Galley", () => servesAsGalley(site, PATHS_OF_GALLEY));
  });

  describe(`${name}, with a subdirectory`, () => {
    let site;

    before(async () => {
      site = await setUp("https://example.com/blog", (parts) => startProxy("subdirectory", parts));
    });

    after(() => site?.stop());

    test("serves everything below it", async () => {
      const { posts } = JSON.parse(await site.get(`/blog/ghost/api/content/posts/?key=${site.key}`));
      assert.equal(posts[0].url, "https://example.com/blog/the-winter-timetable/");
      const [image] = posts.map((post) => post.feature_image).filter(Boolean);
      assert.match(await site.get(new URL(image).pathname, "--head"), /^HTTP\S+ 200/);
      assert.equal(await site.get("/"), "The front end.\n");
      const paths = [...PATHS_OF_GALLEY, "/", "/the-winter-timetable/"];
      await servesAsGalley(site, paths.map((path) => `/blog${path}`));
      assert.equal(await site.get("/blog", "--output", "/dev/null", "--write-out", "%{http_code}"), "301");
    });

    test("redirects a missing trailing slash to the same path", async () => {
      const lead = ["--output", "/dev/null", "--write-out", "%{redirect_url}"];
      const path = `/blog/ghost/api/content/posts?key=${site.key}`;
      const there = `${site.origin}/blog/ghost/api/content/posts/?key=${site.key}`;
      assert.equal(await site.get(path, ...lead), there);
    });
  });
}

/** Paths of each kind that a proxy with a front end forwards to Galley. */
const PATHS_OF_GALLEY = [
  "/ghost",
  "/ghost/",
  "/content/images/night-ferry.png",
  "/members/",
  "/unsubscribe",
  "/unsubscribe/",
  "/p/00000000-0000-4000-8000-000000000000/",
  "/email/00000000-0000-4000-8000-000000000000/",
  "/public/missing.js",
  "/rss",
  "/rss/",
  "/feed.json",
  "/sitemap.xml",
  "/sitemap-posts.xml",
  "/sitemap.xsl",
];

/** Compares the status and body of each path with those of Galley itself. */
async function servesAsGalley(site, paths) {
  for (const path of paths) {
    const own = await fetch(site.address + path, { redirect: "manual", headers: { accept: "text/html" } });
    const body = Buffer.from(await own.arrayBuffer());
    const file = join(site.scratch, "body");
    const options = ["--header", "Accept: text/html", "--output", file, "--write-out", "%{http_code}"];
    assert.equal(await site.get(path, ...options), String(own.status), path);
    assert.ok(body.equals(await readFile(file)), `${path} has the same body`);
  }
}

async function servesApis(site) {
  const { posts } = JSON.parse(await site.get(`/ghost/api/content/posts/?key=${site.key}&limit=1`));
  assert.equal(posts[0].url, "https://example.com/the-winter-timetable/");
  assert.match(await site.get("/ghost/api/admin/site/"), /The Eskerry Letter/);
}

/**
 * Starts Galley with a site at `url` and with `settings` in its `galley.toml`, behind a proxy. `startProxy` starts the proxy from
 * the values for its configuration.
 */
export async function setUp(url, startProxy, settings = "") {
  const scratch = await newFolder();
  const pages = await newFolder();
  await writeFile(join(pages, "index.html"), "The front end.\n");
  const [certificate, certificateKey] = ["certificate.pem", "key.pem"].map((name) => join(scratch, name));
  const subject = ["-subj", "/CN=example.com", "-addext", "subjectAltName=DNS:example.com"];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", certificateKey, "-out", certificate];
  await succeed("openssl", ["req", "-x509", ...algorithm, "-days", "2", ...subject, ...files]);

  const configuration = join(scratch, "galley.toml");
  await writeFile(configuration, settings);
  const galley = await serve(sampleSite, "--url", url, "--config", configuration);
  const keys = await galley.createKeys("Behind a proxy");
  const address = new URL(galley.url).host;
  const parts = { address, certificate, certificateKey, pages, scratch };
  let proxy;
  try {
    proxy = await startProxy(parts);
  } catch (error) {
    await galley.stop();
    throw error;
  }

  const origin = `https://example.com:${proxy.port}`;
  const trusted = ["--resolve", `example.com:${proxy.port}:127.0.0.1`, "--cacert", certificate];
  const curl = (path, options) => ["--silent", "--show-error", ...trusted, ...options, origin + path];
  const get = (path, ...options) => succeed("curl", curl(path, options));
  const stop = async () => {
    await proxy.stop();
    await galley.stop();
  };
  try {
    await eventually("the proxy to serve", async () => (await run("curl", curl("/", []))).code === 0);
  } catch (error) {
    // Otherwise the processes would keep the tests from ending.
    await stop();
    throw new Error(`${error.message}\n${proxy.said()}`);
  }
  const publish = async (title) => {
    const response = await fetch(`http://${address}${new URL(url).pathname}ghost/api/admin/posts/`, {
      method: "POST",
      headers: {
        Authorization: `Ghost ${adminToken(keys.adminKey)}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ posts: [{ title, status: "published" }] }),
    });
    assert.equal(response.status, 201);
  };
  return {
    origin,
    address: `http://${address}`,
    scratch,
    galley,
    key: galley.key,
    adminKey: keys.adminKey,
    get,
    publish,
    start: (path, ...options) => start("curl", curl(path, ["--no-buffer", ...options])),
    stop,
  };
}
