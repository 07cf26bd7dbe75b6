// The normal form of a page's HTML: its visible content as lists of lines, for HTML of any origin.
//
// The form ignores these differences; docs/generators.md explains their names:
//   wrappers    div, section, span and other elements without a meaning; classes, widths, `rel`, `loading`
//   chrome      additions of themes: copy buttons, anchors next to headings, icons, line numbers, scripts and styles
//   highlighter elements within code; its language is read from the code element and its parents
//   nesting     the order of two nested marks with the same words
//   plain       the languages `text`, `plaintext`, `txt` and `fallback` count as no language
//   loose       whether the paragraphs of list items and of table cells are elements
//   image       whether a separate image is in a paragraph or in a figure without a caption
//   notes       how footnotes are marked up: the referenced note, and its text, are compared
//   dead        a link that is broken in the generator's page is only compared by its words
//   title       a first heading with the page's title is compared as the title
//   headings    a heading without an id is only compared by its text (the generator creates no ids)

import { installed } from "./tools.js";

const { parse } = await installed("parse5");

/** The compared aspects, in the order in which differences are listed. */
export const ASPECTS = ["blocks", "headings", "links", "photos", "code", "marks", "elements", "footnotes"];

const HEADING = /^h[1-6]$/;
const CONTAINERS = new Set([
  "blockquote",
  "ul",
  "ol",
  "li",
  "table",
  "tr",
  "th",
  "td",
  "dl",
  "dt",
  "dd",
  "details",
  "summary",
  "figcaption",
]);
/** Containers that are also listed as elements, so that the loss of one is detected. */
const NAMED_CONTAINERS = new Set(["details", "summary", "figcaption", "dl", "dt", "dd"]);
const WRAPPERS = new Set([
  "address",
  "article",
  "aside",
  "body",
  "center",
  "div",
  "figure",
  "footer",
  "form",
  "header",
  "html",
  "main",
  "nav",
  "picture",
  "section",
  "tbody",
  "thead",
  "tfoot",
  "caption",
  "p",
  "hgroup",
  "fieldset",
  "template",
]);
const CHROME = new Set(["script", "style", "button", "svg", "link", "meta", "noscript", "source", "track"]);
const MARKS = new Map([
  ["strong", "strong"],
  ["b", "strong"],
  ["em", "em"],
  ["i", "em"],
  ["del", "del"],
  ["s", "del"],
  ["strike", "del"],
  ["sub", "sub"],
  ["sup", "sup"],
  ["mark", "mark"],
  ["kbd", "kbd"],
  ["abbr", "abbr"],
  ["u", "u"],
  ["small", "small"],
  ["ins", "ins"],
]);
const EMBEDS = new Set(["iframe", "video", "audio", "embed", "object", "input"]);
const PLAIN_LANGUAGES = new Set(["text", "plaintext", "txt", "fallback", "plain", "none"]);
const LINE_NUMBERS = /(^|\s)(gutter|rouge-gutter|lineno|linenos|ln|lnt)(\s|$)/;
const ANCHOR_CLASSES =
  /(^|\s)(hash-link|header-anchor|heading-anchor|anchor|anchor-link|zola-anchor|subheading-anchor)(\s|$)/;

/** Parses HTML and returns the document. */
export function read(html) {
  return parse(html);
}

/** Returns the first element below `node` for which `is` holds. */
export function find(node, is) {
  for (const child of node.childNodes ?? []) {
    if (child.tagName && is(child)) return child;
    const found = find(child, is);
    if (found) return found;
  }
  return null;
}

/** Calls `visit` with each element below `node`, in document order. */
export function eachElement(node, visit) {
  for (const child of node.childNodes ?? []) {
    if (child.tagName) visit(child);
    eachElement(child, visit);
  }
}

/** Returns an attribute, or null. */
export function attribute(node, name) {
  return node.attrs?.find((each) => each.name === name)?.value ?? null;
}

/** Whether the element has this class. */
export function hasClass(node, name) {
  return (attribute(node, "class") ?? "").split(/\s+/).includes(name);
}

/** Returns all text below the node, unchanged. */
export function rawText(node) {
  if (node.nodeName === "#text") return node.value;
  if (node.tagName === "br") return "\n";
  if (isChrome(node)) return "";
  return (node.childNodes ?? []).map(rawText).join("");
}

function isChrome(node) {
  return CHROME.has(node.tagName) || LINE_NUMBERS.test(attribute(node, "class") ?? "");
}

function isAnchorOfHeading(node) {
  return node.tagName === "a" && ANCHOR_CLASSES.test(attribute(node, "class") ?? "");
}

function words(text) {
  return text.replace(/[\s\u200b]+/g, " ").trim();
}

/** Returns the ids of the elements below the node, with the text of each. */
export function idsOf(root) {
  const ids = new Map();
  eachElement(root, (element) => {
    for (const id of [attribute(element, "id"), element.tagName === "a" ? attribute(element, "name") : null]) {
      if (id && !ids.has(id)) ids.set(id, element);
    }
  });
  return ids;
}

/** Returns a description of the element with this id, which does not depend on the id; null if there is no such element. */
export function whatIsMarked(ids, id) {
  const element = ids.get(id);
  if (!element) return null;
  const text = words(rawText(element));
  return text === "" ? "an empty element" : text.slice(0, 60);
}

/**
 * Returns the lines of each of `ASPECTS` for the content in `root`.
 *
 * `addresses` describes URLs: `link(href)` resolves to a description of a link's target, and `photo(src)` to one of an image's file.
 */
export async function normalForm(root, addresses) {
  const writer = new Writer(footnotes(root), addresses);
  await writer.inside(root);
  return writer.finished();
}

/** Visits elements and collects the lines of their normal form. */
class Writer {
  constructor(notes, { link, photo }) {
    Object.assign(this, { notes, link, photo });
    this.form = Object.fromEntries(ASPECTS.map((aspect) => [aspect, []]));
    this.depth = 0;
    this.text = "";
    this.photos = 0;
  }

  finished() {
    this.endBlock();
    sortNested(this.form.marks);
    this.form.footnotes.push(...this.notes.texts.map((text, index) => `note ${index + 1}: ${text}`));
    return this.form;
  }

  line(text) {
    this.form.blocks.push("  ".repeat(this.depth) + text);
  }

  /** Ends the current block: adds the line for the text that has been collected. */
  endBlock() {
    const text = words(this.text);
    if (text !== "") this.line(text);
    else if (this.photos > 0) this.line("(photo)");
    this.text = "";
    this.photos = 0;
  }

  async inside(node) {
    for (const child of node.childNodes ?? []) await this.visit(child);
  }

  /** Visits the children and returns their words. */
  async wordsInside(node) {
    const before = this.text.length;
    await this.inside(node);
    return words(this.text.slice(before));
  }

  async visit(node) {
    const name = node.tagName;
    if (node.nodeName === "#text") this.text += node.value;
    else if (!name || isChrome(node) || this.notes.hidden.has(node)) return;
    else if (this.notes.references.has(node)) this.reference(node);
    else if (HEADING.test(name)) await this.heading(node);
    else if (name === "a") await this.anchor(node);
    else if (name === "img") await this.image(node);
    else if (name === "pre") this.code(node);
    else if (["code", "tt", "samp"].includes(name)) this.codeInLine(node);
    else if (MARKS.has(name)) await this.mark(node);
    else if (name === "br") this.break();
    else if (name === "hr") this.rule();
    else if (EMBEDS.has(name)) await this.embedded(node);
    else if (CONTAINERS.has(name)) await this.container(node);
    else if (WRAPPERS.has(name)) await this.wrapper(node);
    else await this.inside(node);
  }

  reference(node) {
    const number = this.notes.references.get(node);
    this.text += `[^${number}]`;
    this.form.footnotes.push(`reference to ${number}`);
  }

  async heading(node) {
    this.endBlock();
    const text = words(rawTextOfHeading(node));
    this.form.headings.push({ text: `${node.tagName} ${text}`, id: attribute(node, "id") });
    this.line(`${node.tagName}: ${text}`);
    await this.inside(node);
    this.text = "";
    this.photos = 0;
  }

  async anchor(node) {
    if (isAnchorOfHeading(node)) return;
    const href = attribute(node, "href");
    const { photos } = this;
    const said = await this.wordsInside(node);
    if (href === null) return;
    const text = said === "" && this.photos > photos ? "(photo)" : said;
    this.form.links.push({ text, to: await this.link(href), title: attribute(node, "title") ?? "" });
  }

  async image(node) {
    const alternative = `"${attribute(node, "alt") ?? ""}"`;
    const file = await this.photo(attribute(node, "src") ?? "");
    this.form.photos.push([alternative, attribute(node, "title"), file].filter(Boolean).join(" "));
    this.photos += 1;
  }

  code(node) {
    this.endBlock();
    const text = JSON.stringify(rawText(node).replace(/\n+$/, "").replace(/^\n/, ""));
    this.form.code.push(`${language(node)}: ${text}`);
    this.line(`pre: ${text}`);
  }

  codeInLine(node) {
    const text = rawText(node);
    this.form.marks.push(`code: ${words(text)}`);
    this.text += text;
  }

  async mark(node) {
    const text = await this.wordsInside(node);
    if (text !== "") this.form.marks.push(`${MARKS.get(node.tagName)}: ${text}`);
  }

  break() {
    this.form.marks.push("br");
    this.text += " ";
  }

  rule() {
    this.endBlock();
    this.line("hr");
  }

  async embedded(node) {
    const name = node.tagName;
    if (name === "input") {
      this.form.elements.push(`box ${attribute(node, "checked") === null ? "empty" : "checked"}`);
      return;
    }
    const source =
      attribute(node, "src") ?? attribute(find(node, ({ tagName }) => tagName === "source") ?? {}, "src") ?? "";
    this.form.elements.push(`${name} ${name === "iframe" ? await this.link(source) : await this.photo(source)}`);
    await this.inside(node);
  }

  async container(node) {
    this.endBlock();
    if (NAMED_CONTAINERS.has(node.tagName)) this.form.elements.push(node.tagName);
    this.line(opening(node));
    this.depth += 1;
    await this.inside(node);
    this.endBlock();
    this.depth -= 1;
  }

  async wrapper(node) {
    this.endBlock();
    await this.inside(node);
    this.endBlock();
  }
}

/** Sorts adjacent marks of the same words, so that their nesting does not matter. */
function sortNested(marks) {
  const wordsOf = (mark) => mark.slice(mark.indexOf(":"));
  for (let start = 0; start < marks.length;) {
    let end = start + 1;
    while (end < marks.length && wordsOf(marks[end]) === wordsOf(marks[start])) end += 1;
    marks.splice(start, end - start, ...marks.slice(start, end).sort());
    start = end;
  }
}

function rawTextOfHeading(node) {
  if (node.nodeName === "#text") return node.value;
  if (isChrome(node)) return "";
  if (isAnchorOfHeading(node)) return "";
  return (node.childNodes ?? []).map(rawTextOfHeading).join("");
}

/** Returns the line for the start of a container: its kind and its visible attributes. */
function opening(node) {
  const name = node.tagName;
  if (name === "ol") {
    const start = attribute(node, "start");
    return start && start !== "1" ? `ol from ${start}` : "ol";
  }
  if (name === "th" || name === "td") {
    const aligned = attribute(node, "align") ?? /text-align:\s*(\w+)/.exec(attribute(node, "style") ?? "")?.[1];
    return aligned ? `${name} ${aligned}` : name;
  }
  return name;
}

/** Returns the language of a code block, or an empty string. */
function language(pre) {
  const code = find(pre, ({ tagName }) => tagName === "code");
  const around = [code, pre, pre.parentNode, pre.parentNode?.parentNode, pre.parentNode?.parentNode?.parentNode];
  for (const node of around) {
    if (!node) continue;
    const said =
      /(?:^|\s)lang(?:uage)?-(\S+)/.exec(attribute(node, "class") ?? "")?.[1] ??
      attribute(node, "data-lang") ??
      attribute(node, "data-language");
    if (said) return PLAIN_LANGUAGES.has(said.toLowerCase()) ? "" : said;
  }
  return "";
}

/**
 * Returns the footnotes: the `texts` of the notes in order; `references`, which maps elements that link to a note to its number, or
 * to "dead"; and `hidden`, the notes and the links back to their references, which are excluded from the blocks.
 */
function footnotes(root) {
  const hidden = new Set();
  const references = new Map();
  const texts = [];
  const numbers = new Map();
  const isNote = (element) =>
    (element.tagName === "li" && /^(fn|user-content-fn|footnote)/.test(attribute(element, "id") ?? "")) ||
    hasClass(element, "footnote-definition");
  eachElement(root, (element) => {
    if (isNote(element)) {
      for (const id of idsWithin(element)) numbers.set(id, texts.length + 1);
      texts.push(words(textOfNote(element)));
      hidden.add(element);
    }
    const isSection =
      hasClass(element, "footnotes") ||
      attribute(element, "data-footnotes") !== null ||
      attribute(element, "role") === "doc-endnotes";
    if (element.tagName === "hr" && /footnote/.test(attribute(element, "class") ?? "")) hidden.add(element);
    if (isSection && ["section", "div", "ol"].includes(element.tagName)) hidden.add(element);
  });
  eachElement(root, (element) => {
    if (element.tagName !== "sup" || within(element, hidden)) return;
    const anchor = find(element, ({ tagName }) => tagName === "a");
    const href = anchor && attribute(anchor, "href");
    if (href?.includes("#") && /^\[?[\w:-]+\]?$/.test(words(rawText(anchor)))) {
      references.set(element, numbers.get(decodeURIComponent(href.slice(href.indexOf("#") + 1))) ?? "dead");
    }
  });
  return { hidden, references, texts };
}

function idsWithin(element) {
  const ids = [];
  if (attribute(element, "id")) ids.push(attribute(element, "id"));
  eachElement(element, (each) => attribute(each, "id") && ids.push(attribute(each, "id")));
  return ids;
}

function within(element, set) {
  for (let node = element.parentNode; node; node = node.parentNode) if (set.has(node)) return true;
  return false;
}

function textOfNote(node) {
  if (node.nodeName === "#text") return node.value;
  const leadsBack =
    node.tagName === "a" &&
    (attribute(node, "data-footnote-backref") !== null ||
      attribute(node, "role") === "doc-backlink" ||
      /#(user-content-)?fnref|#fr-/.test(attribute(node, "href") ?? "") ||
      hasClass(node, "footnote-backref"));
  if (leadsBack || hasClass(node, "footnote-definition-label")) return "";
  const text = (node.childNodes ?? []).map(textOfNote).join("");
  return ["p", "li", "div"].includes(node.tagName) ? ` ${text} ` : text;
}
