// A program against types that openapi-typescript made of the document: it compiles only if the document has what it asks for.

import createClient from "openapi-fetch";

import type { paths } from "./document.js";

/** Adds, edits and reads a post at `api`, and publishes it; responds with what readers see of it. */
export async function addEditRead(api: string, token: string, key: string) {
  const client = createClient<paths>({
    baseUrl: api,
    querySerializer: { array: { style: "form", explode: false } },
  });
  const headers = { Authorization: `Ghost ${token}` };

  const added = await client.POST("/admin/posts/", {
    headers,
    params: { query: { source: "html" } },
    body: { posts: [{ title: "Typed", html: "<p>One.</p>", tags: ["Salt", { name: "Letters" }] }] },
  });
  const id = added.data?.posts[0]?.id;
  if (!id) throw new Error(`not added: ${JSON.stringify(added.error)}`);

  const read = await client.GET("/admin/posts/{id}/", {
    headers,
    params: { path: { id }, query: { formats: ["html"] } },
  });
  const updated_at = read.data?.posts[0]?.updated_at;
  if (!updated_at) throw new Error(`not read: ${JSON.stringify(read.error)}`);

  const edited = await client.PUT("/admin/posts/{id}/", {
    headers,
    params: { path: { id }, query: { source: "html" } },
    body: { posts: [{ title: "Typed twice", html: "<p>Two.</p>", status: "published", updated_at }] },
  });
  if (!edited.data) throw new Error(`not edited: ${JSON.stringify(edited.error)}`);

  const seen = await client.GET("/content/posts/{id}/", {
    params: { path: { id }, query: { key, include: ["tags"] } },
  });
  const post = seen.data?.posts[0];
  if (!post) throw new Error(`not seen: ${JSON.stringify(seen.error)}`);
  return { title: post.title, html: post.html, tags: post.tags?.map((tag) => tag.name) };
}
