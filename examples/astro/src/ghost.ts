// The server that `galley exec` runs, and says in the environment where it is.

import GhostContentAPI from "@tryghost/content-api";

export const api = new GhostContentAPI({
  url: process.env.GHOST_URL!,
  key: process.env.GHOST_CONTENT_API_KEY!,
  version: "v6.0",
});

/** All records of a list: at most a hundred come at a time. */
export async function all(resource: "posts" | "pages" | "tags", options: object) {
  const records = [];
  for (let page: number | null = 1; page; ) {
    const found = await api[resource].browse({ ...options, limit: 100, page });
    records.push(...found);
    page = found.meta.pagination.next;
  }
  return records;
}
