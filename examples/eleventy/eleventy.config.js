import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { photos, serverUrl } from "./server.js";

export default function (config) {
  // A saved content file changes the server's responses, so Eleventy has to watch the folder.
  config.addWatchTarget("./content/");

  // The server ends with the build, so its images are copied.
  config.on("eleventy.after", async ({ directories }) => {
    for (const path of photos()) {
      const response = await fetch(serverUrl + path);
      if (!response.ok) throw new Error(`cannot fetch ${path}: ${response.status}`);
      const file = join(directories.output, decodeURIComponent(path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
    }
  });

  // The search box consists of two scripts and an index, which is copied from the folder of the API that `galley build` writes.
  config.addPassthroughCopy("site/*.js");
  config.on("eleventy.after", async ({ directories }) => {
    const api = await mkdtemp(join(tmpdir(), "galley-search-"));
    execFileSync("galley", ["build", api, "--search", "--url", "https://site.example", "--quiet"]);
    await cp(join(api, "ghost/api/content/search"), join(directories.output, "search"), { recursive: true });
    await rm(api, { recursive: true });
  });

  return { dir: { input: "site" } };
}
