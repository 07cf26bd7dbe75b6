// Publishes a folder of Markdown files with the official client: twice, after changes, and with errors.

import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { adminToken, copyOf, noContent, run, serve, succeed } from "./galley.js";

describe("publish-markdown", () => {
  let galley;
  let keys;
  let folder;

  before(async () => {
    folder = await copyOf("publish-markdown");
    await succeed("npm", ["ci"], { cwd: folder });
    galley = await serve(noContent);
    keys = await galley.setUp("Letters");
  });

  after(() => galley.stop());

  const file = (name) => join(folder, "letters", name);

  /** Runs the script as in its README. Returns its exit code, its output line for each file, and its error output. */
  async function publish() {
    const env = { GHOST_URL: galley.url, GHOST_ADMIN_API_KEY: keys.adminKey };
    const { code, stdout, stderr } = await run("node", ["publish.js", "letters"], { cwd: folder, env });
    return { code, done: stdout.trim().split("\n"), complaints: stderr };
  }

  async function change(name, from, to) {
    const words = await readFile(file(name), "utf8");
    assert.ok(words.includes(from), `${name} says ${from}`);
    await writeFile(file(name), words.replace(from, to));
  }

  async function admin(method, path, body) {
    const authorization = `Ghost ${adminToken(keys.adminKey)}`;
    const headers = { Authorization: authorization, "Content-Type": "application/json" };
    const options = { method, headers, body: body && JSON.stringify(body) };
    const response = await fetch(`${galley.url}/ghost/api/admin/${path}`, options);
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.json();
  }

  const post = async (slug) => (await admin("GET", `posts/slug/${slug}/?formats=html,lexical`)).posts[0];

  test("every file becomes a post, with its tags and images", async () => {
    const { code, done, complaints } = await publish();
    assert.equal(complaints, "2025-10-05-low-tide.md: ignored keys: layout\n");
    assert.equal(code, 0);
    const lamp = await post("harbour-lamp");
    const added = [`2025-10-05-low-tide.md: added ${galley.url}/low-tide/`, `the-lamp.md: added ${lamp.url}`];
    assert.deepEqual(done, added);
    assert.deepEqual([lamp.status, lamp.featured], ["draft", true]);

    const tide = await post("low-tide");
    assert.equal(tide.status, "published");
    assert.equal(Date.parse(tide.published_at), Date.parse("2025-10-05T07:30:00Z"));
    assert.deepEqual(tide.tags.map(({ name }) => name), ["Harbour", "#short"]);
    assert.equal(tide.custom_excerpt, "What the water leaves when it goes.");
    assert.match(tide.html, /<strong>forty-one<\/strong> legs/);
    assert.match(tide.html, /<td[^>]*>41<\/td>/);
    assert.ok(tide.html.includes(`src="${tide.feature_image}"`), "the image is uploaded once for both uses");
    const photo = await fetch(tide.feature_image);
    assert.deepEqual(Buffer.from(await photo.arrayBuffer()), await readFile(file("pier.png")));
  });

  test("a second run changes nothing", async () => {
    const before = [await post("low-tide"), await post("harbour-lamp")];
    const { code, done } = await publish();
    assert.equal(code, 0);
    assert.deepEqual(done, ["2025-10-05-low-tide.md: unchanged", "the-lamp.md: unchanged"]);
    assert.deepEqual([await post("low-tide"), await post("harbour-lamp")], before);
  });

  test("a changed file updates only its post", async () => {
    const { id, updated_at, feature_image, uuid } = await post("low-tide");
    await admin("PUT", `posts/${id}/`, { posts: [{ updated_at, og_title: "Set in the editor" }] });
    await change("2025-10-05-low-tide.md", "nobody counts", "who could count");
    await change("the-lamp.md", 'status = "draft"', 'status = "published"');
    const { done } = await publish();
    assert.deepEqual(done, [
      `2025-10-05-low-tide.md: changed ${galley.url}/low-tide/ (text)`,
      `the-lamp.md: changed ${galley.url}/harbour-lamp/ (status)`,
    ]);
    const tide = await post("low-tide");
    assert.match(tide.html, /who could count them/);
    assert.deepEqual([tide.og_title, tide.uuid, tide.feature_image], ["Set in the editor", uuid, feature_image]);
  });

  test("a changed image of the same name is uploaded again", async () => {
    const { feature_image } = await post("low-tide");
    const photo = await readFile(file("pier.png"));
    await writeFile(file("pier.png"), Buffer.concat([photo, Buffer.from([0])]));
    const { done } = await publish();
    assert.equal(done[0], `2025-10-05-low-tide.md: changed ${galley.url}/low-tide/ (feature_image, text)`);
    assert.notEqual((await post("low-tide")).feature_image, feature_image);
    await writeFile(file("pier.png"), photo);
    await publish();
  });

  test("posts without a file are unchanged", async () => {
    await admin("POST", "posts/", { posts: [{ title: "Written elsewhere", status: "published" }] });
    await rm(file("the-lamp.md"));
    const { done } = await publish();
    assert.equal(done.length, 1);
    assert.equal((await post("harbour-lamp")).status, "published");
    assert.equal((await post("written-elsewhere")).status, "published");
  });

  test("an invalid file is reported, and the others are published", async () => {
    await writeFile(file("a-mistake.md"), "---\ntitle: Wrong\nfeatured: perhaps\n---\n");
    await writeFile(file("b-photo.md"), "---\ntitle: Not seen\n---\n\n![Lost](lost.png)\n");
    await writeFile(file("c-bare.md"), "No title at all.\n");
    await writeFile(file("good.md"), "---\ntitle: Good\n---\n\nGood.\n");
    const { code, done, complaints } = await publish();
    assert.equal(code, 1);
    assert.deepEqual(complaints.trim().split("\n").sort(), [
      "2025-10-05-low-tide.md: ignored keys: layout",
      'a-mistake.md: "featured" in the front matter must be true or false',
      "b-photo.md: the image lost.png does not exist",
      "c-bare.md: the file does not begin with front matter",
    ]);
    assert.equal(done.at(-1), `good.md: added ${galley.url}/good/`);
  });

  test("a slug of a page is not taken", async () => {
    await admin("POST", "pages/", { pages: [{ title: "About", status: "published" }] });
    await writeFile(file("about.md"), "---\ntitle: Also about\n---\n\nUs.\n");
    const { complaints } = await publish();
    assert.match(complaints, /^about\.md: the slug "about" is in use$/m);
    assert.deepEqual((await admin("GET", "posts/?filter=slug:~'about'")).posts, []);
  });

  test("without a folder or a key it prints its usage", async () => {
    const { code, stderr } = await run("node", ["publish.js"], { cwd: folder });
    assert.equal(code, 2);
    assert.match(stderr, /^usage: /);
  });
});
