// The script of the page: it requests and shows the content that the fragment of the URL names (#/, #/tag/SLUG, #/post/SLUG,
// #/search/WORDS).

import { settings } from "./settings.js";

// The script before this one defines the client.
const api = new GhostContentAPI({ ...settings, version: "v6.0" });
const main = document.getElementById("main");
const status = document.getElementById("found");
const box = document.getElementById("words");

/** Returns an element with properties and children. Strings are text, not HTML. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function date(post) {
  const shown = new Date(post.published_at).toLocaleDateString(undefined, { dateStyle: "long" });
  return element("time", { dateTime: post.published_at }, shown);
}

function byline(post) {
  const authors = post.authors.map((author) => author.name).join(", ");
  return element("p", { className: "byline" }, `${authors} · `, date(post));
}

function photo(post, className) {
  if (!post.feature_image) return null;
  const alt = post.feature_image_alt ?? "";
  return element("img", { className, src: post.feature_image, alt, loading: "lazy" });
}

function listed(post) {
  return element(
    "li",
    {},
    element(
      "a",
      { href: `#/post/${post.slug}` },
      photo(post, "small"),
      element("h2", {}, post.title),
    ),
    byline(post),
    element("p", {}, post.custom_excerpt ?? post.excerpt ?? ""),
  );
}

/** Returns a page of posts, of one tag or of all, and a button that adds the next page. */
async function list(tag) {
  const posts = element("ul", { className: "posts" });
  const more = element("button", { type: "button" }, "Older posts");
  let next = 1;
  const load = async () => {
    const filter = tag ? { filter: `tag:${tag}` } : {};
    const found = await api.posts.browse({ ...filter, include: "authors", limit: 6, page: next });
    posts.append(...found.map(listed));
    next = found.meta.pagination.next;
    more.hidden = next === null;
  };
  more.addEventListener("click", () => load().catch(fail));
  await load();
  return [posts, more];
}

async function read(slug) {
  const post = await api.posts.read({ slug }, { include: "authors,tags" });
  document.title = post.title;
  const text = element("div", { className: "text" });
  // Authors of the site are trusted to write HTML for its pages.
  text.innerHTML = post.html ?? "";
  const closed = post.access ? null : element("p", { className: "closed" }, "The rest is for members.");
  const tags = post.tags
    .filter((tag) => tag.visibility === "public")
    .map((tag) => element("a", { href: `#/tag/${tag.slug}` }, tag.name));
  return [
    element(
      "article",
      {},
      element("h2", {}, post.title),
      byline(post),
      photo(post, "large"),
      text,
      closed,
      element("p", { className: "tags" }, ...tags),
    ),
  ];
}

/** Returns the results of the full-text search, with highlights. Ghost's client has no such function, as Ghost has no such endpoint. */
async function search(words) {
  const query = new URLSearchParams({ key: settings.key, q: words });
  const response = await fetch(`${settings.url}/ghost/api/content/search/?${query}`);
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.errors[0].message);
  const { total } = reply.meta.pagination;
  status.textContent = total === 1 ? "1 result" : `${total || "No"} results`;
  const found = reply.search.map(({ slug, title, excerpt, highlights }) => {
    const text = element("p");
    // Galley has escaped everything except the <mark> elements.
    if (highlights.text) text.innerHTML = highlights.text;
    else text.textContent = excerpt ?? "";
    return element("li", {}, element("a", { href: `#/post/${slug}` }, element("h2", {}, title)), text);
  });
  return [element("ul", { className: "posts" }, ...found)];
}

function fail(error) {
  const reported = error.response?.status === 404 ? "There is no such post." : `This did not work: ${error.message}`;
  main.replaceChildren(element("p", { role: "alert" }, reported));
}

/** Shows the content that the fragment of the URL names, unless the fragment has changed in the meantime. */
async function show() {
  const fragment = location.hash;
  const [, kind, name] = /^#\/(tag|post|search)\/([^/]+)$/.exec(fragment) ?? [];
  document.title = document.getElementById("title").textContent;
  for (const link of document.querySelectorAll("#tags a")) {
    link.toggleAttribute("aria-current", link.hash === (fragment || "#/"));
  }
  try {
    status.textContent = "";
    const shown = await ({ post: read, search }[kind] ?? list)(name && decodeURIComponent(name));
    if (location.hash !== fragment) return;
    main.replaceChildren(...shown);
    scrollTo(0, 0);
  } catch (error) {
    fail(error);
  }
}

try {
  const [site, tags] = await Promise.all([
    api.settings.browse(),
    api.tags.browse({ filter: "visibility:public", limit: "all" }),
  ]);
  document.getElementById("title").textContent = site.title;
  document.documentElement.lang = site.lang ?? "en";
  const all = element("a", { href: "#/" }, "All");
  const links = tags.map((tag) => element("a", { href: `#/tag/${tag.slug}` }, tag.name));
  document.getElementById("tags").append(all, ...links);
  addEventListener("hashchange", show);
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value.trim()) location.hash = `#/search/${encodeURIComponent(box.value)}`;
  });
  await show();
} catch (error) {
  fail(error);
}
