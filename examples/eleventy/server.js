// Reads the data of the site from the server that `galley exec` runs.

import GhostContentAPI from "@tryghost/content-api";

export const serverUrl = process.env.GHOST_URL;
const api = new GhostContentAPI({ url: serverUrl, key: process.env.GHOST_CONTENT_API_KEY, version: "v6.0" });

let replies = "";

/** Returns the paths of all images and other files that the site shows. */
export function photos() {
  return new Set(replies.match(/\/content\/(?:images|media|files)\/[^\s"'\\<>)?#]+/g));
}

/** Returns all records of a list; a response has at most a hundred. */
async function all(resource, options) {
  const records = [];
  for (let page = 1; page; ) {
    const found = await api[resource].browse({ ...options, limit: 100, page });
    records.push(...found);
    page = found.meta.pagination.next;
  }
  return records;
}

/** Returns the value of `ghost` in templates. */
export async function read() {
  const [settings, posts, pages, tags] = await Promise.all([
    api.settings.browse(),
    all("posts", { include: "tags,authors" }),
    all("pages", { include: "authors" }),
    all("tags", { include: "count.posts" }),
  ]);
  // Without the URL of the server, paths are correct wherever the site is published.
  replies = JSON.stringify({ settings, posts, pages, tags }).replaceAll(serverUrl, "");
  return JSON.parse(replies);
}
