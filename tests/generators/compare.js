// Compares the texts that a generator builds with those that Galley answers with.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { generators } from "./generators.js";
import { difference } from "./lines.js";
import { ASPECTS, attribute, eachElement, find, hasClass, idsOf, normalForm, rawText, read, whatIsMarked } from "./normal_form.js";

const RAW_SYNTAX = ["{{", "{%", ":::", "[[", "galley-ref:"];

/** Names the contents of a file. SVG is compared by its elements, since Galley takes what runs code out of it. */
function digest(bytes) {
  const start = bytes.subarray(0, 200).toString("latin1");
  if (/<svg[\s>]/.test(start)) {
    const elements = [];
    eachElement(read(bytes.toString("utf8")), ({ tagName, attrs }) => elements.push([tagName, ...attrs.map(({ name, value }) => `${name}=${value}`).sort()].join(" ")));
    return `file ${createHash("sha256").update(elements.join("\n")).digest("hex").slice(0, 12)}`;
  }
  return `file ${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}`;
}

function ofDataAddress(address) {
  const [, coding, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address) ?? [];
  return data === undefined ? null : digest(coding ? Buffer.from(data, "base64") : Buffer.from(decodeURIComponent(data)));
}

function words(text) {
  return text.replace(/\s+/g, " ").trim();
}

function decoded(path) {
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}

/** The texts that the generator built. */
export class Built {
  constructor(name, { folder, origin, pages }) {
    Object.assign(this, { name, folder, origin });
    const { content, title } = generators[name];
    this.texts = [];
    this.pages = new Set(pages.keys());
    this.redirects = new Map();
    for (const [path, html] of pages) {
      const document = read(html);
      const refresh = find(document, (element) => element.tagName === "meta" && attribute(element, "http-equiv")?.toLowerCase() === "refresh");
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

  /** Returns where a link in `text` leads. */
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
    return ["", "/", "index.html", "/index.html", ".html"].some((end) => this.pages.has(decoded(path) + end) || this.pages.has(`${decoded(path)}${end}`.replace(/index\.html$/, "")));
  }

  async picture(text, src) {
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

/** Returns what a page says around its text: the date, and the tags. */
function about(document, root) {
  const time = find(document, (element) => element.tagName === "time" && attribute(element, "datetime") !== null && !contains(root, element));
  const tags = [];
  eachElement(document, (element) => {
    if (hasClass(element, "tag") && !contains(root, element)) tags.push(words(rawText(element)));
  });
  return { date: time ? attribute(time, "datetime").slice(0, 10) : null, tags };
}

/** The texts that a Galley answers with. */
export class Answered {
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
      const answer = await this.get(url);
      if (answer.location) {
        const location = new URL(answer.location, url);
        target = location.origin === this.url ? this.byPath.get(pathKey(location.pathname)) : undefined;
      } else if (answer.file) {
        return answer.file;
      } else if (answer.status === 404) {
        this.dead.push({ text, href });
        return `nowhere (${decoded(url.pathname)})`;
      } else {
        return `the list ${decoded(url.pathname)}`;
      }
    }
    if (!target) return `nowhere (${decoded(url.pathname)})`;
    return toText(target.built ?? target, target.ids, url);
  }

  async picture(text, src) {
    const data = ofDataAddress(src);
    if (data) return data;
    const url = parseAddress(src, text.url);
    if (!url) return `the address ${src}`;
    if (url.origin !== this.url) return url.href;
    const answer = await this.get(url);
    if (answer.file) return answer.file;
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

/** Takes the heading at the beginning of a text away if it is the title, which is compared by itself. */
function takeTitleOut(root, title) {
  const first = find(root, ({ tagName }) => !["div", "header", "article", "section"].includes(tagName));
  if (first?.tagName === "h1" && words(rawText(first)) === title) removeWithHeader(first);
}

/** Takes a page's title out of its text, with the `header` around it. */
function removeWithHeader(heading) {
  const node = heading.parentNode.tagName === "header" ? heading.parentNode : heading;
  node.parentNode.childNodes = node.parentNode.childNodes.filter((each) => each !== node);
}

function parseAddress(href, base) {
  try {
    return new URL(href.trim(), base);
  } catch {
    return null;
  }
}

function pathKey(path) {
  return decoded(path).replace(/(\/index)?\.html?$/, "").replace(/\/+$/, "").toLowerCase();
}

function toText(target, ids, url) {
  const fragment = url.hash.length > 1 ? decoded(url.hash.slice(1)) : "";
  const text = `the text “${target.title}”`;
  if (fragment === "") return text;
  const marked = whatIsMarked(ids, fragment) ?? whatIsMarked(ids, url.hash.slice(1));
  return marked === null ? `${text}, where there is no #${fragment}` : `${text}, at “${marked}”`;
}

function lastPart(path) {
  return decoded(path).replace(/(\/index)?\.html?$/, "").replace(/\/+$/, "").split("/").pop().toLowerCase();
}

/** Gives each text of Galley the built one that it is, by title, then by the end of its address; returns both remainders. */
function pair(built, answered) {
  const missing = new Set(built.texts);
  const extra = new Set(answered.texts);
  const match = (is) => {
    for (const text of [...missing]) {
      const found = [...extra].filter((each) => is(text, each));
      if (found.length !== 1) continue;
      found[0].built = text;
      missing.delete(text);
      extra.delete(found[0]);
    }
  };
  match((text, each) => text.title === words(each.title) && lastPart(text.path) === each.slug);
  match((text, each) => text.title === words(each.title));
  match((text, each) => lastPart(text.path) === each.slug);
  match((text, each) => pathKey(text.path).replaceAll("/", "-").endsWith(each.slug));
  return { missing, extra };
}

/**
 * Returns the differences, each `{ text, aspect, lines }`: `text` is the built text's address (or that of Galley), `lines` begin
 * with `-` for what only the generator has and `+` for what only Galley has.
 */
export async function differences(built, answered, { idsMatter }) {
  const { missing, extra } = pair(built, answered);
  const found = [];
  for (const text of missing) found.push({ text: text.path, aspect: "missing", lines: [`- ${text.title}`] });
  for (const text of extra) found.push({ text: `galley:${text.slug}`, aspect: "extra", lines: [`+ ${text.title} (${text.kind})`] });
  for (const text of answered.texts.filter((each) => each.built)) {
    const { built: original } = text;
    if (original.title !== "" && original.title !== words(text.title)) {
      found.push({ text: original.path, aspect: "title", lines: [`- ${original.title}`, `+ ${text.title}`] });
    }
    if (original.date && text.kind === "posts" && original.date !== text.published_at.slice(0, 10)) {
      found.push({ text: original.path, aspect: "date", lines: [`- ${original.date}`, `+ ${text.published_at}`] });
    }
    const tags = difference(sorted(original.tags), sorted(text.tags.map(({ name }) => name)));
    if (original.tags.length > 0 && tags.length > 0) found.push({ text: original.path, aspect: "tags", lines: tags });
    const expected = await normalForm(original.root, {
      link: (href) => built.leadsTo(original, href),
      picture: (src) => built.picture(original, src),
    });
    const got = await normalForm(text.root, {
      link: (href) => answered.leadsTo(text, href),
      picture: (src) => answered.picture(text, src),
    });
    forgetDeadLinks(expected.links, got.links);
    const sides = [inWords(expected, got, idsMatter), inWords(got, expected, idsMatter)];
    for (const aspect of ASPECTS) {
      const lines = difference(sides[0][aspect], sides[1][aspect]);
      if (lines.length > 0) found.push({ text: original.path, aspect, lines });
    }
  }
  return found;
}

function sorted(names) {
  return names.map((name) => name.toLowerCase()).sort();
}

/** Links that lead nowhere in the generator's page need not do so in Galley's. */
function forgetDeadLinks(expected, got) {
  const isDead = ({ to }) => to.startsWith("nowhere") || to.includes("where there is no #");
  for (const [index, each] of expected.entries()) {
    if (!isDead(each)) continue;
    const ordinal = expected.slice(0, index).filter(({ text }) => text === each.text).length;
    const same = got.filter(({ text }) => text === each.text)[ordinal];
    if (same) same.to = "wherever";
    each.to = "wherever";
  }
}

/**
 * Returns the form with headings and links as lines. A heading that has no id on one side is compared by its text alone.
 */
function inWords(form, other, idsMatter) {
  const hasIds = idsMatter && [form, other].every(({ headings }) => headings.some(({ id }) => id !== null));
  return {
    ...form,
    headings: form.headings.map(({ text, id }) => (hasIds ? `${text} #${id ?? ""}` : text)),
    links: form.links.map(({ text, to, title }) => [`[${text}] to ${to}`, title && `(${title})`].filter(Boolean).join(" ")),
  };
}

/** Returns what must not be in any text of Galley: syntax of templates outside code, and addresses that Galley does not answer. */
export async function faults(answered) {
  const found = [];
  for (const text of answered.texts) {
    const lines = [];
    visitText(text.root, (value) => {
      for (const syntax of RAW_SYNTAX) if (value.includes(syntax)) lines.push(`+ ${syntax} in ${JSON.stringify(words(value).slice(0, 80))}`);
    });
    eachElement(text.root, (element) => {
      for (const { name, value } of element.attrs) {
        for (const syntax of RAW_SYNTAX) if (value.includes(syntax)) lines.push(`+ ${syntax} in ${name}=${JSON.stringify(value.slice(0, 80))}`);
      }
    });
    if (lines.length > 0) found.push({ text: text.built?.path ?? `galley:${text.slug}`, aspect: "raw", lines });
    const dead = [];
    const addresses = [];
    eachElement(text.root, (element) => {
      for (const name of ["href", "src", "poster"]) if (attribute(element, name)) addresses.push(attribute(element, name));
    });
    if (text.feature_image) addresses.push(text.feature_image);
    for (const address of addresses) {
      const url = parseAddress(address, text.url);
      if (!url || url.origin !== answered.url || answered.byPath.has(pathKey(url.pathname))) continue;
      const { status } = await answered.get(url);
      if (status === 404) dead.push(`+ ${decoded(url.pathname)}`);
    }
    if (dead.length > 0) found.push({ text: text.built?.path ?? `galley:${text.slug}`, aspect: "dead", lines: dead });
  }
  return found;
}

function visitText(node, visit) {
  if (node.nodeName === "#text") visit(node.value);
  if (["pre", "code", "script", "style"].includes(node.tagName)) return;
  for (const child of node.childNodes ?? []) visitText(child, visit);
}
