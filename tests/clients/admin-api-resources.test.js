// The rest of @tryghost/admin-api: uploads, themes, members, newsletters, webhooks and the configuration.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import GhostAdminAPI from "@tryghost/admin-api";

import { forAutomations, noContent, serve } from "./galley.js";

const file = (name) => fileURLToPath(new URL(`../recordings/files/${name}`, import.meta.url));

describe("@tryghost/admin-api, other resources", () => {
  let galley;
  let adminKey;
  let admin;
  let folder;
  let receiver;

  before(async () => {
    galley = await serve(noContent, ...forAutomations);
    ({ adminKey } = await galley.setUp("Resources"));
    folder = await mkdtemp(join(tmpdir(), "galley-uploads-"));
    admin = new GhostAdminAPI({ url: galley.url, key: adminKey, version: "v6.0" });
  });

  after(async () => {
    receiver?.close();
    await galley.stop();
    await rm(folder, { recursive: true });
  });

  test("uploads an image, a video with its thumbnail and any file", async () => {
    const clip = join(folder, "clip.mp4");
    await writeFile(clip, Buffer.from("0000001866747970", "hex"));
    const uploads = [
      [admin.images, { file: file("photo.jpg"), ref: "holiday" }, "image/jpeg"],
      [admin.media, { file: clip, thumbnail: file("photo.jpg"), purpose: "video" }, "video/mp4"],
      [admin.files, { file: file("paper.pdf"), ref: "paper" }, "application/pdf"],
    ];
    for (const [resource, data, type] of uploads) {
      const { url, ref, thumbnail_url } = await resource.upload(data);
      assert.equal(ref ?? undefined, data.ref);
      assert.equal((await fetch(url)).headers.get("content-type"), type);
      if (data.thumbnail) assert.equal((await fetch(thumbnail_url)).status, 200);
    }
  });

  test("rejects an image upload that is not an image", async () => {
    await assert.rejects(admin.images.upload({ file: file("paper.pdf") }), { name: "UnsupportedMediaTypeError" });
  });

  test("uploads and activates a theme", async () => {
    const uploaded = await admin.themes.upload({ file: file("tide-theme.zip") });
    assert.equal(uploaded.active, false);
    const { name, active } = await admin.themes.activate(uploaded.name);
    assert.deepEqual([name, active], [uploaded.name, true]);
  });

  test("adds, browses, reads, edits and deletes members", async () => {
    const { id } = await admin.members.add({ email: "lou@example.com", labels: ["Early"] });
    await assert.rejects(admin.members.add({ email: "lou@example.com" }), { name: "ValidationError" });
    const found = await admin.members.browse({ filter: "label:early" });
    assert.deepEqual(found.map((member) => member.id), [id]);
    assert.equal((await admin.members.edit({ id, name: "Lou" })).name, "Lou");
    assert.equal((await admin.members.read({ id })).labels[0].name, "Early");
    await admin.members.delete({ id });
    await assert.rejects(admin.members.read({ id }), { name: "NotFoundError" });
  });

  test("adds, browses, reads and edits newsletters", async () => {
    const { id } = await admin.newsletters.add({ name: "Evenings" });
    assert.equal((await admin.newsletters.edit({ id, name: "Mornings" })).name, "Mornings");
    assert.equal((await admin.newsletters.read({ id })).slug, "evenings");
    assert.equal((await admin.newsletters.browse()).length, 2);
  });

  test("reads the configuration", async () => {
    assert.match((await admin.config.read()).version, /^6\./);
  });

  // Zapier reads the version first, sends the identifier of its key as that of the integration, and registers undocumented
  // events.
  test("registers webhooks like Zapier", async () => {
    assert.match((await admin.site.read()).version, /^6\./);
    for (const event of ["member.added", "newsletter.added", "tier.added", "user.added"]) {
      const hook = { event, target_url: `https://hooks.example/${event}`, integration_id: adminKey.split(":")[0] };
      const { id, status } = await admin.webhooks.add(hook);
      assert.equal(status, "available");
      await admin.webhooks.delete({ id });
    }
  });

  test("a webhook receives signed events of its type until it is deleted", async () => {
    const secret = "between us";
    receiver = createServer(async (request, response) => {
      let body = "";
      for await (const part of request.setEncoding("utf8")) body += part;
      receiver.emit("delivery", request.headers["x-ghost-signature"], body);
      response.end();
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const target_url = `http://127.0.0.1:${receiver.address().port}/`;
    const { id } = await admin.webhooks.add({ event: "tag.added", target_url, secret });
    const delivery = once(receiver, "delivery", { signal: AbortSignal.timeout(10_000) });
    await admin.tags.add({ name: "Hooked" });
    const [signature, body] = await delivery;
    const [, hash, time] = /^sha256=([0-9a-f]{64}), t=(\d+)$/.exec(signature);
    assert.equal(hash, createHmac("sha256", secret).update(body + time).digest("hex"));
    assert.equal(JSON.parse(body).tag.current.slug, "hooked");

    assert.equal((await admin.webhooks.edit({ id, event: "tag.deleted" })).event, "tag.deleted");
    await admin.webhooks.delete({ id });
  });
});
