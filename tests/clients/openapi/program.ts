// A program that uses the types that openapi-typescript generates from the document. It only compiles if these types contain
// everything that it uses.

import createClient from "openapi-fetch";

import type { paths } from "./document.js";

/** Adds, edits, reads and publishes a post with the API at `api`, and resolves to the post as readers see it. */
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
