// The server that `galley exec` runs, and everything that the site shows of it.

import GhostContentAPI from "@tryghost/content-api";

export const serverUrl = process.env.GHOST_URL;
const api = new GhostContentAPI({ url: serverUrl, key: process.env.GHOST_CONTENT_API_KEY, version: "v6.0" });

let replies = "";

/** The paths of all photos and other files that the site shows. */
export function photos() {
  return new Set(replies.match(/\/content\/(?:images|media|files)\/[^\s"'\\<>)?#]+/g));
}

/** All records of a list: at most a hundred come at a time. */
async function all(resource, options) {
  const records = [];
  for (let page = 1; page; ) {
    const found = await api[resource].browse({ ...options, limit: 100, page });
    records.push(...found);
    page = found.meta.pagination.next;
  }
  return records;
}

/** What the templates know as `ghost`. */
export async function read() {
  const [settings, posts, pages, tags] = await Promise.all([
    api.settings.browse(),
    all("posts", { include: "tags,authors" }),
    all("pages", { include: "authors" }),
    all("tags", { include: "count.posts" }),
  ]);
  // Addresses without the server's in front are right wherever the site will be.
  replies = JSON.stringify({ settings, posts, pages, tags }).replaceAll(serverUrl, "");
  return JSON.parse(replies);
}
