// The recipes in Python, with the packages that they require.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  adminToken,
  example,
  newFolder,
  program,
  run,
  sampleSite,
  serve,
  shownBy,
  succeed,
  withoutChance,
} from "./galley.js";
import { pythonEnvironment } from "./python_environment.js";

describe("Python", () => {
  let galley;
  let keys;
  let folder;
  let python;

  before(async () => {
    const programs = await pythonEnvironment("python", join(example("python"), "requirements.txt"));
    python = join(programs, "python");
    folder = await newFolder();
    galley = await serve(sampleSite);
    keys = await galley.createKeys("Recipes");
  });

  after(() => galley.stop());

  function script(name, args, url = galley.url) {
    const env = {
      GHOST_URL: url,
      GHOST_CONTENT_API_KEY: keys.contentKey,
      GHOST_ADMIN_API_KEY: keys.adminKey,
    };
    return run(python, ["-B", join(example("python"), name), ...args], { cwd: folder, env });
  }

  async function admin(method, path, body) {
    const response = await fetch(`${galley.url}/ghost/api/admin/${path}`, {
      method,
      headers: {
        Authorization: `Ghost ${adminToken(keys.adminKey)}`,
        "Content-Type": "application/json",
      },
      body: body && JSON.stringify(body),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.json();
  }

  const read = async (slug) => {
    const path = `posts/slug/${slug}/?formats=html&include=tags`;
    return (await admin("GET", path)).posts[0];
  };

  const fog = join(example("python"), "fog.html");

  test("prints the output shown in the README", async () => {
    const [shown, refusal] = await shownBy("python");
    const photo = join(example("python"), "ferry.png");
    const publish = [fog, "--title", "The second note", "--tag", "Fog", "--image", photo];
    const commands = [
      ["read_posts.py", ["tag:kitchen"]],
      ["publish.py", publish],
      ["export_members.py", ["members.csv"]],
    ];
    let printed = "";
    for (const [name, args] of commands) printed += (await script(name, args)).stdout;
    assert.equal(withoutChance(printed), withoutChance(shown));

    const refused = await script("read_posts.py", ["tagg:kitchen"]);
    assert.deepEqual(refused, { code: 1, stdout: "", stderr: refusal });
  });

  test("publishes a file with its image, and updates the same post later", async () => {
    const { id, title, feature_image } = await read("fog");
    assert.equal(title, "The second note");
    assert.equal((await fetch(feature_image)).headers.get("content-type"), "image/png");

    const second = await script("publish.py", [fog, "--title", "Two notes", "--tag", "Fog"]);
    assert.equal(second.code, 0, second.stderr);
    const post = await read("fog");
    assert.equal(post.id, id);
    assert.equal(post.title, "Two notes");
    assert.equal(post.tags[0].name, "Fog");
    assert.equal(post.feature_image, feature_image, "an omitted field is unchanged");
    assert.match(post.html, /^<p>The horn at the head of the pier has <strong>two<\/strong> notes/);
  });

  test("detects a concurrent change, and retries on top of it", async () => {
    const started = await script("publish.py", [fog, "--title", "Before"]);
    assert.equal(started.code, 0, started.stderr);
    const writes = [];
    // A proxy in front of the site changes the post through another client right after the script has read it.
    const between = createServer(async (request, response) => {
      const body = [];
      for await (const piece of request) body.push(piece);
      const headers = { ...request.headers };
      delete headers.host;
      delete headers.connection;
      const reply = await fetch(galley.url + request.url, {
        method: request.method,
        headers,
        body: body.length ? Buffer.concat(body) : undefined,
      });
      const json = await reply.text();
      if (request.method === "PUT") writes.push(reply.status);
      if (request.method === "GET" && writes.length === 0) {
        const [{ id, updated_at }] = JSON.parse(json).posts;
        const change = { updated_at, custom_excerpt: "Said by somebody else." };
        await admin("PUT", `posts/${id}/`, { posts: [change] });
      }
      response.writeHead(reply.status, { "Content-Type": "application/json" }).end(json);
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    const url = `http://127.0.0.1:${between.address().port}`;
    const outcome = await script("publish.py", [fog, "--title", "After"], url);
    between.close();
    between.closeAllConnections();

    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(writes, [409, 200]);
    const post = await read("fog");
    assert.equal(post.title, "After");
    assert.equal(post.custom_excerpt, "Said by somebody else.");
  });

  test("exports all members across pages", async () => {
    const members = Array.from({ length: 150 }, (_, number) => `reader-${number}@example.com`);
    const list = join(folder, "members.csv");
    await writeFile(list, ["email,name,labels", ...members.map((email) => `${email},Ada,Crew`)].join("\n"));
    await succeed(program, ["import", list, "--data", galley.data]);

    const { code, stdout, stderr } = await script("export_members.py", ["exported.csv"]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "150 members in exported.csv\n");
    const rows = (await readFile(join(folder, "exported.csv"), "utf8")).trim().split("\r\n");
    assert.equal(rows[0], "email,name,status,created_at,labels,newsletters");
    const exported = rows.slice(1).map((row) => row.split(",")[0]);
    assert.deepEqual(exported.sort(), members.sort());
    assert.match(rows[1], /^reader-\d+@example\.com,Ada,free,\d{4}-[^,]+,.*Crew/);
  });
});
