// Compares the pages that a generator builds with the ones of Galley.

import { difference } from "./lines.js";
import { ASPECTS, attribute, eachElement, normalForm } from "./normal_form.js";
import { decoded, lastPart, parseAddress, pathKey, words } from "./texts.js";

const RAW_SYNTAX = ["{{", "{%", ":::", "[[", "galley-ref:"];

/** Pairs each page of Galley with a built page, by title and by the end of its path. Returns the unpaired pages of both sides. */
function pair(built, responded) {
  const missing = new Set(built.texts);
  const extra = new Set(responded.texts);
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
 * Returns the differences, each as `{ text, aspect, lines }`. `text` is the path of the built page, or of Galley's page if there is
 * no built one. Lines that only the generator has begin with `-`, lines that only Galley has with `+`.
 */
export async function differences(built, responded, { idsMatter, pathsMatter }) {
  const { missing, extra } = pair(built, responded);
  const found = [];
  for (const text of missing) found.push({ text: text.path, aspect: "missing", lines: [`- ${text.title}`] });
  for (const text of extra)
    found.push({ text: `galley:${text.slug}`, aspect: "extra", lines: [`+ ${text.title} (${text.kind})`] });
  for (const text of responded.texts.filter((each) => each.built)) {
    const { built: original } = text;
    if (original.title !== "" && original.title !== words(text.title)) {
      found.push({ text: original.path, aspect: "title", lines: [`- ${original.title}`, `+ ${text.title}`] });
    }
    if (original.date && text.kind === "posts" && original.date !== text.published_at.slice(0, 10)) {
      found.push({ text: original.path, aspect: "date", lines: [`- ${original.date}`, `+ ${text.published_at}`] });
    }
    if (pathsMatter && !(await leadsThere(original, text, responded))) {
      found.push({ text: original.path, aspect: "redirect", lines: [`- ${decoded(original.path)}`, `+ ${text.path}`] });
    }
    const tags = difference(sorted(original.tags), sorted(text.tags.map(({ name }) => name)));
    if (original.tags.length > 0 && tags.length > 0) found.push({ text: original.path, aspect: "tags", lines: tags });
    const expected = await normalForm(original.root, {
      link: (href) => built.leadsTo(original, href),
      photo: (src) => built.photo(original, src),
    });
    const got = await normalForm(text.root, {
      link: (href) => responded.leadsTo(text, href),
      photo: (src) => responded.photo(text, src),
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

/** Returns whether the path of the generator's page is also the path of Galley's page, or redirects to it. */
async function leadsThere(original, text, responded) {
  const isFrontPage = original.path === "/";
  if (isFrontPage || pathKey(original.path) === pathKey(text.path)) return true;
  const { status, location } = await responded.get(new URL(original.path, responded.url));
  return status === 301 && new URL(location, responded.url).pathname === text.path;
}

function sorted(names) {
  return names.map((name) => name.toLowerCase()).sort();
}

/** Ignores links that are broken in the generator's page, since they may work in Galley's page. */
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
 * Returns the form with headings and links as lines. Headings are only compared by their text if one side has no ids.
 */
function inWords(form, other, idsMatter) {
  const hasIds = idsMatter && [form, other].every(({ headings }) => headings.some(({ id }) => id !== null));
  return {
    ...form,
    headings: form.headings.map(({ text, id }) => (hasIds ? `${text} #${id ?? ""}` : text)),
    links: form.links.map(({ text, to, title }) =>
      [`[${text}] to ${to}`, title && `(${title})`].filter(Boolean).join(" "),
    ),
  };
}

/** Returns errors in Galley's pages: template syntax outside code, and URLs of the site that are not found. */
export async function faults(responded) {
  const found = [];
  for (const text of responded.texts) {
    const lines = [];
    visitText(text.root, (value) => {
      for (const syntax of RAW_SYNTAX)
        if (value.includes(syntax)) lines.push(`+ ${syntax} in ${JSON.stringify(words(value).slice(0, 80))}`);
    });
    eachElement(text.root, (element) => {
      for (const { name, value } of element.attrs) {
        for (const syntax of RAW_SYNTAX)
          if (value.includes(syntax)) lines.push(`+ ${syntax} in ${name}=${JSON.stringify(value.slice(0, 80))}`);
      }
    });
    if (lines.length > 0) found.push({ text: text.built?.path ?? `galley:${text.slug}`, aspect: "raw", lines });
    const dead = [];
    const addresses = [];
    eachElement(text.root, (element) => {
      for (const name of ["href", "src", "poster"])
        if (attribute(element, name)) addresses.push(attribute(element, name));
    });
    if (text.feature_image) addresses.push(text.feature_image);
    for (const address of addresses) {
      const url = parseAddress(address, text.url);
      if (!url || url.origin !== responded.url || responded.byPath.has(pathKey(url.pathname))) continue;
      const { status } = await responded.get(url);
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
