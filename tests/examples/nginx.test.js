// nginx in front of Galley, with the configuration of the example; only the ports and the folders differ.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { setUp, worksBehind } from "./behind_proxy.js";
import { example, freePort, start } from "./galley.js";

worksBehind("nginx", startNginx);

describe("nginx, while Galley restarts", () => {
  let site;

  before(async () => {
    site = await setUp("https://example.com", (parts) => startNginx("whole", parts));
  });

  after(() => site?.stop());

  test("cached images are served", async () => {
    const seen = () => site.get("/content/images/night-ferry.png", "--output", "/dev/null", "--write-out", "%{http_code}");
    assert.equal(await seen(), "200");
    await site.galley.stop();
    assert.equal(await seen(), "200");
  });
});

async function startNginx(part, site) {
  const port = await freePort();
  const read = (file) => readFile(join(example("nginx"), file), "utf8");
  let configuration = await read(part === "subdirectory" ? "subdirectory.conf" : "galley.conf");
  if (part === "front-end") {
    configuration = configuration.replace(/location \/ \{[^}]*\}/, await read("front-end.conf"));
  }
  if (part === "subdirectory") {
    configuration = `server {
      listen 443 ssl;
      ssl_certificate /etc/letsencrypt/live/example.com/fullchain.pem;
      ssl_certificate_key /etc/letsencrypt/live/example.com/privkey.pem;
      ${configuration}
      location / { root /var/www/example.com; }
    }`;
  }
  const replaced = configuration
    .replace(/^ *#.*$/gm, "")
    .replace(/listen \[::\].*;/g, "")
    .replace("listen 80;", `listen 127.0.0.1:${await freePort()};`)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:2368", site.address)
    .replace("/etc/letsencrypt/live/example.com/fullchain.pem", site.certificate)
    .replace("/etc/letsencrypt/live/example.com/privkey.pem", site.certificateKey)
    .replace("/var/cache/nginx-galley", join(site.scratch, "cache"))
    .replace("/var/www/example.com", site.pages);
  assert.ok(!/\/(etc|var)\//.test(replaced), "no system folder is left in the configuration");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(site.scratch, kind)};`)
    .join("\n");
  const main = `
    daemon off;
    ${process.getuid() === 0 ? "user root;" : ""}
    worker_processes 1;
    pid ${join(site.scratch, "nginx.pid")};
    error_log stderr;
    events {}
    http {
      access_log off;
      ${temporary}
      ${replaced}
    }`;
  const mainFile = join(site.scratch, "nginx.conf");
  await writeFile(mainFile, main);
  const nginx = start("nginx", ["-c", mainFile, "-p", site.scratch, "-e", "stderr"]);
  return { port, ...nginx };
}
