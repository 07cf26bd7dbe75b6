// Publishes a folder of Markdown files: node publish.js FOLDER
//
// Each file becomes the post with its slug, which is added or changed. Fields that the file does not have stay unchanged, and
// so do posts without a file. A second run changes nothing.

import { readdir } from "node:fs/promises";
import { join } from "node:path";

import GhostAdminAPI from "@tryghost/admin-api";

import { Images } from "./images.js";
import { readPost } from "./post-file.js";

const [folder] = process.argv.slice(2);
const { GHOST_URL: url, GHOST_ADMIN_API_KEY: key } = process.env;
if (!folder || !url || !key) {
  console.error("usage: GHOST_URL=… GHOST_ADMIN_API_KEY=… node publish.js FOLDER");
  process.exit(2);
}

const api = new GhostAdminAPI({ url, key, version: "v6.0" });
const images = new Images(api);

for (const name of (await readdir(folder, { recursive: true })).sort()) {
  if (!/\.(md|markdown)$/i.test(name) || /^readme\./i.test(name)) continue;
  try {
    const { unknown, outcome } = await publish(join(folder, name));
    console.log(`${name}: ${outcome}`);
    if (unknown.length > 0) console.warn(`${name}: ignored keys: ${unknown.join(", ")}`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name}: ${error.context ? `${error.message} ${error.context}` : error.message}`);
  }
}

/** Adds or updates the post of a file. Returns the outcome, and the unknown keys of the file. */
async function publish(path) {
  const { fields, markdown, unknown } = await readPost(path);
  const current = await read(fields.slug);
  images.notice(current?.feature_image);
  images.notice(current?.lexical);
  if (fields.feature_image) fields.feature_image = await images.url(path, fields.feature_image);
  const wanted = { ...fields, lexical: lexicalOf(await images.withUrls(path, markdown)) };

  if (!current) {
    const added = await api.posts.add(wanted);
    if (added.slug !== wanted.slug) {
      await api.posts.delete({ id: added.id });
      throw new Error(`the slug "${wanted.slug}" is in use`);
    }
    return { unknown, outcome: `added ${added.url}` };
  }
  const changed = Object.keys(wanted).filter((field) => !isSame(field, wanted[field], current[field]));
  if (changed.length === 0) return { unknown, outcome: "unchanged" };
  const changes = Object.fromEntries(changed.map((field) => [field, wanted[field]]));
  const { id, updated_at } = current;
  const edited = await api.posts.edit({ id, updated_at, ...changes });
  return { unknown, outcome: `changed ${edited.url} (${changed.map(nameOf).join(", ")})` };
}

async function read(slug) {
  try {
    return await api.posts.read({ slug }, { formats: "lexical" });
  } catch (error) {
    if (error.name === "NotFoundError") return undefined;
    throw error;
  }
}

/** Returns a document of the editor with one card that contains the Markdown, so it can be edited as Markdown there, too. */
function lexicalOf(markdown) {
  const children = [{ type: "markdown", version: 1, markdown }];
  const root = { type: "root", version: 1, children, direction: null, format: "", indent: 0 };
  return JSON.stringify({ root });
}

function isSame(field, wanted, current) {
  if (field === "lexical") return markdownOf(wanted) === markdownOf(current);
  if (field === "published_at") return Date.parse(wanted) === Date.parse(current);
  if (field === "tags") return String(wanted).toLowerCase() === String(current.map(({ name }) => name)).toLowerCase();
  return wanted === current;
}

/** Returns the Markdown of a document that consists of one Markdown card; undefined for any other document. */
function markdownOf(lexical) {
  const { children } = JSON.parse(lexical ?? "null")?.root ?? { children: [] };
  return children.length === 1 && children[0].type === "markdown" ? children[0].markdown : undefined;
}

function nameOf(field) {
  return { lexical: "text", published_at: "date", custom_excerpt: "excerpt" }[field] ?? field;
}
