// The recipes with curl, run unchanged by both common shells.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { join } from "node:path";

import { example, sampleSite, serve, shownBy, succeed, withoutChance } from "./galley.js";

describe("curl", () => {
  let galley;
  let env;

  before(async () => {
    galley = await serve(sampleSite);
    const keys = await galley.createKeys("Recipes");
    env = {
      GHOST_URL: galley.url,
      GHOST_CONTENT_API_KEY: keys.contentKey,
      GHOST_ADMIN_API_KEY: keys.adminKey,
    };
  });

  after(() => galley.stop());

  /** Returns the output of each recipe, by its heading. */
  async function recipes(shell) {
    const printed = await succeed(shell, [join(example("curl"), "recipes.sh")], { env });
    const parts = printed.split(/^== /m).slice(1);
    const recipe = (heading) => {
      const found = parts.filter((part) => part.startsWith(heading));
      assert.equal(found.length, 1, `recipes named ${heading}`);
      return found[0].slice(found[0].indexOf("\n") + 1).trim();
    };
    return { printed, recipe };
  }

  // Both shells start from the same site.
  for (const shell of ["sh", "bash"]) {
    test(`every recipe works with ${shell}`, async () => {
      const { printed, recipe } = await recipes(shell);
      const titles = (heading) => JSON.parse(recipe(heading)).posts.map((post) => post.title);

      assert.deepEqual(titles("The three newest posts"), [
        "The winter timetable",
        "The night ferry",
        "What the foghorn says",
      ]);
      assert.deepEqual(titles("Posts with one of two tags"), [
        "A boat called Tuesday",
        "The November dinner",
        "The pilot's notebook",
        "Low water chowder",
      ]);
      assert.equal(titles("The second page of five").length, 5);
      const [post] = JSON.parse(recipe("One post by its slug")).posts;
      assert.equal(post.authors[0].name, "Nora Quill");
      assert.equal(post.tags[0].name, "Ferry");

      assert.equal(recipe("Request it again"), "304, 0 bytes");
      const [plain, compressed] = recipe("The same response").match(/\d+/g).map(Number);
      assert.ok(compressed < plain / 2, `${compressed} bytes of ${plain}`);
      assert.match(recipe("What changed: the revision"), /^revision \d+, 29 records$/);

      assert.equal(JSON.parse(recipe("Authenticate")).site.title, "The Eskerry Letter");
      assert.match(recipe("A draft"), /^draft [0-9a-f]{24}, changed \d{4}-/);
      const [published] = JSON.parse(recipe("Publish it")).posts;
      const url = `${galley.url}/written-with-curl/`;
      assert.equal(published.url, url);
      assert.equal(published.html, "<p>Good <strong>morning</strong>.</p>");
      assert.equal(recipe("A change of an older version"), "409 UpdateCollisionError");

      const { changes } = JSON.parse(recipe("What changed since"));
      assert.deepEqual(
        changes.map(({ change, url }) => [change, url]),
        [["published", url]],
      );
      const [photo] = JSON.parse(recipe("An image")).images;
      assert.equal((await fetch(photo.url)).headers.get("content-type"), "image/png");
      assert.match(recipe("A webhook"), /^[0-9a-f]{24} gets site\.changed$/);
      assert.deepEqual(recipe("Tidy up").split("\n"), ["204", "204"]);
      const posts = `${galley.url}/ghost/api/content/posts`;
      const gone = await fetch(`${posts}/slug/written-with-curl/?key=${galley.key}`);
      assert.equal(gone.status, 404);

      const [shown] = await shownBy("curl");
      for (const part of shown.split(/\n\n/)) {
        assert.ok(withoutChance(printed).includes(withoutChance(part.trim())), part);
      }
    });
  }
});
