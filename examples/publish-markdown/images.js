// Images that posts show: files beside the text, which are uploaded once.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";

import FormData from "form-data";
import { fromMarkdown } from "mdast-util-from-markdown";
import { visit } from "unist-util-visit";

/**
 * The photos of a site. A photo is uploaded under a name that says what is in it (`pier-1f0c8a2b9d3e.png`), so whatever
 * shows it shows that it is there already, and no list needs to be stored.
 */
export class Images {
  #api;
  #addresses = new Map();

  constructor(api) {
    this.#api = api;
  }

  /** Takes note of the uploaded photos that `words`, such as those of a post on the site, refer to. */
  notice(words) {
    for (const [address, name] of (words ?? "").matchAll(/https?:\/\/[^\s"'()<>\\]*\/([^\s"'()<>\\/]+)/g)) {
      const known = /^(.+-[0-9a-f]{12})(?:-\d+)?(\.\w+)$/.exec(name);
      if (known) this.#addresses.set(known[1] + known[2], address);
    }
  }

  /** The address of the photo that `reference` in the file `path` means; it is uploaded unless it is there. */
  async address(path, reference) {
    if (!isFile(reference)) return reference;
    const file = resolve(dirname(path), decodeURI(reference));
    const content = await readFile(file).catch(() => {
      throw new Error(`the photo ${reference} is not there`);
    });
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const extension = extname(file);
    const name = `${basename(file, extension)}-${hash}${extension}`;
    if (!this.#addresses.has(name)) {
      const form = new FormData();
      form.append("file", createReadStream(file), { filename: name });
      form.append("purpose", "image");
      form.append("ref", reference);
      this.#addresses.set(name, (await this.#api.images.upload(form)).url);
    }
    return this.#addresses.get(name);
  }

  /** The text of the file `path` with the addresses of its photos in place of their file names. */
  async inPlace(path, markdown) {
    const shown = [];
    visit(fromMarkdown(markdown), ["image", "definition"], (node) => {
      if (isFile(node.url) && (node.type === "image" || isImage(node.url))) shown.push(node);
    });
    let written = markdown;
    // From the end, so that the places before stay where they are.
    for (const { url, position } of shown.reverse()) {
      const [start, end] = [position.start.offset, position.end.offset];
      const before = written.slice(start, end);
      const at = before.lastIndexOf(url);
      if (at < 0) throw new Error(`line ${position.start.line}: write the file name of the photo without escapes`);
      const after = before.slice(0, at) + (await this.address(path, url)) + before.slice(at + url.length);
      written = written.slice(0, start) + after + written.slice(end);
    }
    return written;
  }
}

/** Whether `reference` is the name of a file, and no address. */
function isFile(reference) {
  return !/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(reference);
}

function isImage(reference) {
  return /\.(avif|gif|jpe?g|png|svg|webp)$/i.test(reference);
}
