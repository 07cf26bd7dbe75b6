// Images in posts: files next to the text, which are uploaded once.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";

import FormData from "form-data";
import { fromMarkdown } from "mdast-util-from-markdown";
import { visit } from "unist-util-visit";

/**
 * The images of a site. The name of an uploaded image contains a hash of its content (`pier-1f0c8a2b9d3e.png`), so the posts
 * identify the images that are uploaded already, and no list needs to be stored.
 */
export class Images {
  #api;
  #urls = new Map();

  constructor(api) {
    this.#api = api;
  }

  /** Remembers the uploaded images that `text`, such as that of a post on the site, refers to. */
  notice(text) {
    for (const [url, name] of (text ?? "").matchAll(/https?:\/\/[^\s"'()<>\\]*\/([^\s"'()<>\\/]+)/g)) {
      const known = /^(.+-[0-9a-f]{12})(?:-\d+)?(\.\w+)$/.exec(name);
      if (known) this.#urls.set(known[1] + known[2], url);
    }
  }

  /** Returns the URL of the image that `reference` in the file `path` refers to, after uploading it if necessary. */
  async url(path, reference) {
    if (!isFile(reference)) return reference;
    const file = resolve(dirname(path), decodeURI(reference));
    const content = await readFile(file).catch(() => {
      throw new Error(`the image ${reference} does not exist`);
    });
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const extension = extname(file);
    const name = `${basename(file, extension)}-${hash}${extension}`;
    if (!this.#urls.has(name)) {
      const form = new FormData();
      form.append("file", createReadStream(file), { filename: name });
      form.append("purpose", "image");
      form.append("ref", reference);
      this.#urls.set(name, (await this.#api.images.upload(form)).url);
    }
    return this.#urls.get(name);
  }

  /** Returns the text of the file `path` with the URLs of its images instead of their file names. */
  async withUrls(path, markdown) {
    const shown = [];
    visit(fromMarkdown(markdown), ["image", "definition"], (node) => {
      if (isFile(node.url) && (node.type === "image" || isImage(node.url))) shown.push(node);
    });
    let written = markdown;
    // From the end, so that the offsets of earlier images stay valid.
    for (const { url, position } of shown.reverse()) {
      const [start, end] = [position.start.offset, position.end.offset];
      const before = written.slice(start, end);
      const at = before.lastIndexOf(url);
      if (at < 0) throw new Error(`line ${position.start.line}: write the file name of the image without escapes`);
      const after = before.slice(0, at) + (await this.url(path, url)) + before.slice(at + url.length);
      written = written.slice(0, start) + after + written.slice(end);
    }
    return written;
  }
}

/** Returns whether `reference` is the name of a file, not a URL. */
function isFile(reference) {
  return !/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(reference);
}

function isImage(reference) {
  return /\.(avif|gif|jpe?g|png|svg|webp)$/i.test(reference);
}
