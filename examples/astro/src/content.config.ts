// Posts and tags as collections, loaded from the Content API.

import { defineCollection, z } from "astro:content";

import { all } from "./ghost";

const named = z.object({ name: z.string(), slug: z.string() });

const posts = defineCollection({
  loader: () => all("posts", { include: "tags,authors" }),
  schema: z.object({
    title: z.string(),
    slug: z.string(),
    html: z.string(),
    excerpt: z.string().nullable(),
    feature_image: z.string().nullable(),
    feature_image_alt: z.string().nullable(),
    published_at: z.coerce.date(),
    tags: z.array(named),
    primary_author: named,
  }),
});

const tags = defineCollection({
  loader: () => all("tags", {}),
  schema: named.extend({ description: z.string().nullable() }),
});

export const collections = { posts, tags };
