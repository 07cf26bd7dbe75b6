// The pages of both sides: those that a generator built, and those that Galley serves.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { generators } from "./generators.js";
import { attribute, eachElement, find, hasClass, idsOf, rawText, read, whatIsMarked } from "./normal_form.js";

/** Returns a digest of a file's content. SVG images are compared by their elements, because Galley removes active parts. */
function digest(bytes) {
  const start = bytes.subarray(0, 200).toString("latin1");
  if (/<svg[\s>]/.test(start)) {
    const elements = [];
    eachElement(read(bytes.toString("utf8")), ({ tagName, attrs }) =>
      elements.push([tagName, ...attrs.map(({ name, value }) => `${name}=${value}`).sort()].join(" ")),
    );
    return `file ${createHash("sha256").update(elements.join("\n")).digest("hex").slice(0, 12)}`;
  }
  return `file ${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}`;
}

function ofDataAddress(address) {
  const [, coding, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address) ?? [];
  return data === undefined
    ? null
    : digest(coding ? Buffer.from(data, "base64") : Buffer.from(decodeURIComponent(data)));
}

export function words(text) {
  return text.replace(/\s+/g, " ").trim();
}

export function decoded(path) {
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}

/** The pages that the generator built. */
export class Built {
  constructor(name, { folder, origin, pages }) {
    Object.assign(this, { name, folder, origin });
    const { content, title } = generators[name];
    this.texts = [];
    this.pages = new Set([...pages.keys()].map(pathKey));
    this.redirects = new Map();
    for (const [path, html] of pages) {
      const document = read(html);
      const refresh = find(
        document,
        (element) => element.tagName === "meta" && attribute(element, "http-equiv")?.toLowerCase() === "refresh",
      );
      if (refresh) this.redirects.set(pathKey(path), attribute(refresh, "content").replace(/^.*?url=\s*/i, ""));
      const root = content(document);
      if (!root) continue;
      const heading = title(document) ?? find(root, ({ tagName }) => tagName === "h1");
      const shown = heading ? words(rawText(heading).replaceAll("\u200b", "")).replace(/ \| Harbour notes$/, "") : "";
      if (heading && contains(root, heading)) removeWithHeader(heading);
      takeTitleOut(root, shown);
      if (words(rawText(root)) === "" && !find(root, ({ tagName }) => tagName === "img")) continue;
      this.texts.push({ path, title: shown, root, ids: idsOf(root), ...about(document, root) });
    }
    this.byPath = new Map(this.texts.map((text) => [pathKey(text.path), text]));
  }

  /** Returns a description of the target of a link in `text`. */
  async leadsTo(text, href) {
    const url = parseAddress(href, this.origin + text.path);
    if (!url) return `the address ${href}`;
    if (url.origin !== this.origin) return url.href;
    const redirect = this.redirects.get(pathKey(url.pathname));
    if (redirect) return this.leadsTo(text, redirect + url.hash);
    const target = this.byPath.get(pathKey(url.pathname));
    if (target) return toText(target, target.ids, url);
    const file = await this.file(url.pathname);
    if (file) return file;
    return this.isPage(url.pathname) ? `the list ${decoded(url.pathname)}` : `nowhere (${decoded(url.pathname)})`;
  }

  isPage(path) {
    return this.pages.has(pathKey(path));
  }

  async photo(text, src) {
    const data = ofDataAddress(src);
    if (data) return data;
    const url = parseAddress(src, this.origin + text.path);
    if (!url) return `the address ${src}`;
    if (url.origin !== this.origin) return url.href;
    return (await this.file(url.pathname)) ?? `nowhere (${decoded(url.pathname)})`;
  }

  async file(path) {
    if (path.endsWith("/")) return null;
    for (const name of [decodeURIComponent(path), path]) {
      try {
        return digest(await readFile(join(this.folder, name)));
      } catch {
        continue;
      }
    }
    return null;
  }
}

/** Returns the metadata that a page shows outside its text: the date and the tags. */
function about(document, root) {
  const time = find(
    document,
    (element) => element.tagName === "time" && attribute(element, "datetime") !== null && !contains(root, element),
  );
  const tags = [];
  eachElement(document, (element) => {
    if (hasClass(element, "tag") && !contains(root, element)) tags.push(words(rawText(element)));
  });
  return { date: time ? attribute(time, "datetime").slice(0, 10) : null, tags };
}

/** The pages of Galley. */
export class Responded {
  constructor(built, url, records) {
    this.built = built;
    this.url = url;
    this.texts = records.map((record) => {
      const root = find(read(`<body>${record.html ?? ""}</body>`), ({ tagName }) => tagName === "body");
      takeTitleOut(root, words(record.title));
      return { ...record, path: new URL(record.url).pathname, root, ids: idsOf(root) };
    });
    this.byPath = new Map(this.texts.map((text) => [pathKey(text.path), text]));
    this.fetched = new Map();
    this.dead = [];
  }

  async leadsTo(text, href) {
    const url = parseAddress(href, text.url);
    if (!url) return `the address ${href}`;
    if (url.origin === this.built.origin) return this.built.leadsTo(text, href);
    if (url.origin !== this.url) return url.href;
    let target = this.byPath.get(pathKey(url.pathname));
    if (!target) {
      const reply = await this.get(url);
      if (reply.location) {
        const location = new URL(reply.location, url);
        target = location.origin === this.url ? this.byPath.get(pathKey(location.pathname)) : undefined;
      } else if (reply.file) {
        return reply.file;
      } else if (reply.status === 404) {
        this.dead.push({ text, href });
        return `nowhere (${decoded(url.pathname)})`;
      } else {
        return `the list ${decoded(url.pathname)}`;
      }
    }
    if (!target) return `nowhere (${decoded(url.pathname)})`;
    return toText(target.built ?? target, target.ids, url);
  }

  async photo(text, src) {
    const data = ofDataAddress(src);
    if (data) return data;
    const url = parseAddress(src, text.url);
    if (!url) return `the address ${src}`;
    if (url.origin !== this.url) return url.href;
    const reply = await this.get(url);
    if (reply.file) return reply.file;
    this.dead.push({ text, href: src });
    return `nowhere (${decoded(url.pathname)})`;
  }

  async get(url) {
    const address = url.origin + url.pathname;
    if (!this.fetched.has(address)) {
      this.fetched.set(
        address,
        fetch(address, { redirect: "manual" }).then(async (response) => {
          const bytes = Buffer.from(await response.arrayBuffer());
          const type = response.headers.get("content-type") ?? "";
          return {
            status: response.status,
            location: response.headers.get("location"),
            file: response.status === 200 && !/^text\/html|json/.test(type) ? digest(bytes) : null,
          };
        }),
      );
    }
    return this.fetched.get(address);
  }
}

function contains(root, node) {
  for (let each = node; each; each = each.parentNode) if (each === root) return true;
  return false;
}

/** Removes the first heading of a text if it is the title, which is compared separately. */
function takeTitleOut(root, title) {
  const first = find(root, ({ tagName }) => !["div", "header", "article", "section"].includes(tagName));
  if (first?.tagName === "h1" && words(rawText(first)) === title) removeWithHeader(first);
}

/** Removes a page's title from its text, together with the `header` around it. */
function removeWithHeader(heading) {
  const node = heading.parentNode.tagName === "header" ? heading.parentNode : heading;
  node.parentNode.childNodes = node.parentNode.childNodes.filter((each) => each !== node);
}

export function parseAddress(href, base) {
  try {
    return new URL(href.trim(), base);
  } catch {
    return null;
  }
}

export function pathKey(path) {
  return decoded(path)
    .replace(/(\/index)?\.html?$/, "")
    .replace(/\/+$/, "")
    .toLowerCase();
}

function toText(target, ids, url) {
  const fragment = url.hash.length > 1 ? decoded(url.hash.slice(1)) : "";
  const text = `the text “${target.title}”`;
  if (fragment === "") return text;
  const marked = whatIsMarked(ids, fragment) ?? whatIsMarked(ids, url.hash.slice(1));
  return marked === null ? `${text}, where there is no #${fragment}` : `${text}, at “${marked}”`;
}

export function lastPart(path) {
  return decoded(path)
    .replace(/(\/index)?\.html?$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .pop()
    .toLowerCase();
}
