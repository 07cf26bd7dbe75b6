// A client for the server that `galley exec` runs, whose URL and key are in the environment.

import GhostContentAPI from "@tryghost/content-api";

export const api = new GhostContentAPI({
  url: process.env.GHOST_URL!,
  key: process.env.GHOST_CONTENT_API_KEY!,
  version: "v6.0",
});

/** Returns all records of a list; a response has at most a hundred. */
export async function all(resource: "posts" | "pages" | "tags", options: object) {
  const records = [];
  for (let page: number | null = 1; page; ) {
    const found = await api[resource].browse({ ...options, limit: 100, page });
    records.push(...found);
    page = found.meta.pagination.next;
  }
  return records;
}
