import { defineCollection, z } from "astro:content";
import { glob } from "astro/loaders";

const schema = ({ image }) =>
  z.object({
    title: z.string(),
    description: z.string().optional(),
    pubDate: z.coerce.date().optional(),
    updatedDate: z.coerce.date().optional(),
    coverImage: z.object({ src: image(), alt: z.string() }).optional(),
    author: z.string().optional(),
    tags: z.array(z.string()).optional(),
    draft: z.boolean().optional(),
  });

export const collections = {
  blog: defineCollection({ loader: glob({ base: "./src/content/blog", pattern: "**/[^_]*.{md,mdx}" }), schema }),
  docs: defineCollection({ loader: glob({ base: "./src/content/docs", pattern: "**/[^_]*.{md,mdx}" }), schema }),
};
