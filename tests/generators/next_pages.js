// Builds the pages of a Next site with MDX documents by @mdx-js/mdx, as `@next/mdx` does, with remark-gfm and rehype-slug.
//
// Next itself does not define the paths of documents. This is a common layout: `app/…/page.mdx` and `pages/….mdx` are pages at
// their own paths, and the files of `content/posts` are posts with front matter.
//
// usage: node next_pages.js SITE

import { copyFile, cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";

import { installed } from "./tools.js";

const [{ evaluate }, runtime, { createElement }, { renderToStaticMarkup }, gfm, slug, { default: matter }] =
  await Promise.all(
    ["@mdx-js/mdx", "react/jsx-runtime", "react", "react-dom/server", "remark-gfm", "rehype-slug", "gray-matter"].map(
      installed,
    ),
  );

const site = process.argv[2];
const out = join(site, "out");
const IMAGE_IMPORT = /^import (\w+) from "([^"]+\.(?:png|jpg|svg|gif))";?$/gm;

/** Returns the path of a document's page, or null if the file is not a document. */
function addressOf(file) {
  const [top, ...rest] = file.replace(/\.mdx?$/, "").split("/");
  if (top === "content") return `/${rest.join("/")}`;
  if (top === "app" && rest.at(-1) === "page") return `/${rest.slice(0, -1).join("/")}`;
  if (top === "pages") return `/${rest.join("/")}`;
  return null;
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Replaces each image import of a document by the value that bundlers provide, an object with the URL, and copies the image. */
async function withImages(text, folder) {
  for (const [, , from] of text.matchAll(IMAGE_IMPORT)) {
    await mkdir(join(out, "_next/media"), { recursive: true });
    await copyFile(join(folder, from), join(out, "_next/media", basename(from)));
  }
  return text.replace(
    IMAGE_IMPORT,
    (_, name, from) => `export const ${name} = { src: "/_next/media/${basename(from)}" };`,
  );
}

await mkdir(out, { recursive: true });
await cp(join(site, "public"), out, { recursive: true });
const { useMDXComponents } = await import(pathToFileURL(join(site, "mdx-components.js")));
for (const entry of await readdir(site, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const address = /\.mdx?$/.test(entry.name) ? addressOf(relative(site, path)) : null;
  if (address === null) continue;
  const { data, content } = matter(await readFile(path, "utf8"));
  if (data.draft) continue;
  const module = await evaluate(await withImages(content, dirname(path)), {
    ...runtime,
    format: extname(path).slice(1),
    baseUrl: pathToFileURL(path),
    useMDXComponents: () => useMDXComponents({}),
    remarkPlugins: [gfm.default],
    rehypePlugins: [slug.default],
  });
  const title = data.title ?? module.metadata?.title ?? module.meta?.title ?? "";
  const markup = renderToStaticMarkup(createElement(module.default));
  const shown = title && `<h1 class="title">${title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</h1>`;
  const date = data.date ?? module.metadata?.date;
  const time = date ? `<time datetime="${new Date(date).toISOString().slice(0, 10)}"></time>` : "";
  const page = `<!doctype html>\n<html lang="en"><body>${shown}${time}<article class="content">${markup}</article></body></html>\n`;
  await write(join(out, address, "index.html"), page);
}
