import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { pictures, serverUrl } from "./server.js";

export default function (config) {
  // A saved text is a new answer of the server: the watcher has to know of it.
  config.addWatchTarget("./content/");

  // The server is gone when the build is through, so its pictures come along.
  config.on("eleventy.after", async ({ directories }) => {
    for (const path of pictures()) {
      const response = await fetch(serverUrl + path);
      if (!response.ok) throw new Error(`${path} cannot be had: ${response.status}`);
      const file = join(directories.output, decodeURIComponent(path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
    }
  });

  return { dir: { input: "site" } };
}
