// Searches with one of two static indexes, each time as a reader without cached files, and counts the fetched bytes.
//
// usage: node static_search.mjs galley|pagefind FOLDER READER < queries.json
//
// READER is the script that reads the index. Files are read from FOLDER, and counted with the size of a host's response:
// compressed with gzip, as Pagefind's own files already are.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [, , tool, folder, reader] = process.argv;
const host = "http://files.example";
const limit = 10;
const isOfStart = /index\.json$|pagefind-entry\.json$|\.pf_meta$|wasm\..*\.pagefind$/;
let fetched;

const lengthOf = (path, content) => (/\.(json|m?js)$/.test(path) ? gzipSync(content).length : content.length);

globalThis.fetch = async (address) => {
  const path = new URL(address).pathname;
  const content = await readFile(join(folder, path));
  fetched[isOfStart.test(path) ? "start" : "search"] += lengthOf(path, content);
  return new Response(content);
};

const readers = {
  async galley(number, query) {
    const { SearchIndex } = await import(`${pathToFileURL(reader)}?${number}`);
    const index = new SearchIndex(`${host}/ghost/api/content/search/`);
    const { documents, forms } = await index.search(query, limit);
    await Promise.all(documents.map((document) => index.highlight(document, forms)));
    return documents.map(({ url }) => url);
  },
  async pagefind(number, query) {
    const pagefind = await import(`${pathToFileURL(reader)}?${number}`);
    await pagefind.options({ basePath: `${host}/pagefind/`, baseUrl: "/" });
    await pagefind.init();
    const { results } = await pagefind.search(query);
    const documents = await Promise.all(results.slice(0, limit).map((result) => result.data()));
    return documents.map(({ url }) => url);
  },
};

const queries = JSON.parse(await readFile("/dev/stdin", "utf8"));
const script = lengthOf(reader, await readFile(reader));
const replies = [];
for (const [number, query] of queries.entries()) {
  fetched = { start: script, search: 0 };
  const urls = await readers[tool](number, query);
  replies.push({ ...fetched, paths: urls.map((url) => new URL(url, host).pathname) });
}
console.log(JSON.stringify(replies));
