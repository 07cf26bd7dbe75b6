// Caddy in front of Galley, with the configuration of the example; only the port and the folders differ.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { worksBehind } from "./behind_proxy.js";
import { example, freePort, start } from "./galley.js";

worksBehind("Caddy", async (part, site) => {
  const port = await freePort();
  const read = (file) => readFile(join(example("caddy"), file), "utf8");
  let written = await read(part === "subdirectory" ? "subdirectory.Caddyfile" : "Caddyfile");
  if (part === "front-end") {
    written = written.replace(/handle \{[^{}]*\}/, await read("front-end.Caddyfile"));
  }
  const configuration = written
    // Caddy cannot obtain a certificate here, so it is given one.
    .replace("example.com {", `https://example.com:${port} {\ntls ${site.certificate} ${site.certificateKey}`)
    .replaceAll("127.0.0.1:2368", site.address)
    .replace("/var/www/example.com", site.pages);
  const mainFile = join(site.scratch, "Caddyfile");
  await writeFile(mainFile, `{\nadmin off\nauto_https off\n}\n${configuration}`);
  const env = { HOME: site.scratch, XDG_DATA_HOME: site.scratch, XDG_CONFIG_HOME: site.scratch };
  const caddy = start("caddy", ["run", "--config", mainFile, "--adapter", "caddyfile"], { env });
  return { port, ...caddy };
});
