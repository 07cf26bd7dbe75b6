// The search box: shows the results while words are typed.

import { SearchIndex } from "./search-index.js";

const index = new SearchIndex("/search/");
const box = document.querySelector("[type=search]");
const status = document.querySelector("[role=status]");
const list = document.getElementById("results");

/** Returns an element with children. Strings are text, not HTML. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

async function result(found, forms) {
  // The site may be served anywhere, so only the path of a post's URL is used.
  const link = Object.assign(element("a", found.title), { href: new URL(found.url).pathname });
  const parts = await index.highlight(found, forms);
  const text = parts.map((part, index) => (index % 2 ? element("mark", part) : part));
  return element("li", element("h2", link), element("p", ...text));
}

async function show() {
  const text = box.value;
  const { total, documents, forms } = await index.search(text);
  const results = await Promise.all(documents.map((found) => result(found, forms)));
  // The words in the box may have changed in the meantime.
  if (box.value !== text) return;
  list.replaceChildren(...results);
  status.textContent = text.trim() && (total === 1 ? "1 result" : `${total || "No"} results`);
}

const fail = (error) => (status.textContent = `The search does not work: ${error.message}`);
box.addEventListener("input", () => show().catch(fail));
box.form.addEventListener("submit", (event) => event.preventDefault());
box.value = new URLSearchParams(location.search).get("q") ?? "";
show().catch(fail);
