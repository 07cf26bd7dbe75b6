// Reads a Markdown file as a post: the values of its front matter, and its text.

import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";

import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

const STATUSES = ["draft", "published", "scheduled"];

const text = (value) => (typeof value === "string" ? value : mistaken("a string"));
const yesOrNo = (value) => (typeof value === "boolean" ? value : mistaken("true or false"));
const names = (value) => (Array.isArray(value) ? value.map(text) : mistaken("a list of names"));
const status = (value) => (STATUSES.includes(value) ? value : mistaken(STATUSES.join(", ")));

function date(value) {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? mistaken("a date") : time.toISOString();
}

/** The keys of front matter: the field of the post, and the function that reads the value. */
const KEYS = {
  title: ["title", text],
  slug: ["slug", text],
  status: ["status", status],
  date: ["published_at", date],
  tags: ["tags", names],
  featured: ["featured", yesOrNo],
  excerpt: ["custom_excerpt", text],
  feature_image: ["feature_image", text],
  feature_image_alt: ["feature_image_alt", text],
  meta_title: ["meta_title", text],
  meta_description: ["meta_description", text],
};

/**
 * Reads a file. Returns the `fields` of the post in its front matter (`title`, `slug` and `status` are always present), its text
 * as `markdown`, and the unknown keys as `unknown`.
 */
export async function readPost(path) {
  const { frontMatter, markdown } = split(await readFile(path, "utf8"));
  const fields = { slug: slugOf(path), status: "published" };
  const unknown = [];
  for (const [key, value] of Object.entries(frontMatter)) {
    if (!Object.hasOwn(KEYS, key)) {
      unknown.push(key);
      continue;
    }
    const [field, read] = KEYS[key];
    try {
      fields[field] = read(value);
    } catch (error) {
      throw new Error(`"${key}" in the front matter ${error.message}`);
    }
  }
  if (!fields.title) throw new Error('the front matter has no "title"');
  return { fields, markdown, unknown };
}

/** Splits a file into its front matter (YAML between lines `---` or TOML between lines `+++`) and its text. */
function split(source) {
  const parts = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n([\s\S]*?\n)?\1[ \t]*(?:\r?\n([\s\S]*))?$/.exec(source);
  if (!parts) throw new Error("the file does not begin with front matter");
  const [, fence, head = "", markdown = ""] = parts;
  const frontMatter = fence === "---" ? parseYaml(head) : parseToml(head);
  return { frontMatter: frontMatter ?? {}, markdown: markdown.trim() };
}

/** Returns the slug of a file: `low-tide` for `2025-10-12-low-tide.md`. */
function slugOf(path) {
  return basename(path, extname(path)).replace(/^\d{4}-\d{2}-\d{2}-/, "");
}

function mistaken(wanted) {
  throw new Error(`must be ${wanted}`);
}
