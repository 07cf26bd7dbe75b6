// The search box: shows what the index has for the words in it, while they are typed.

import { SearchIndex } from "./search-index.js";

const index = new SearchIndex("/search/");
const box = document.querySelector("[type=search]");
const status = document.querySelector("[role=status]");
const list = document.getElementById("results");

/** An element with what is in it. Text stays text. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

async function result(found, forms) {
  // The site may be served anywhere: of the address of a post, its path counts.
  const link = Object.assign(element("a", found.title), { href: new URL(found.url).pathname });
  const parts = await index.highlight(found, forms);
  const text = parts.map((part, place) => (place % 2 ? element("mark", part) : part));
  return element("li", element("h2", link), element("p", ...text));
}

async function show() {
  const text = box.value;
  const { total, documents, forms } = await index.search(text);
  const results = await Promise.all(documents.map((found) => result(found, forms)));
  // By now, the box may have other words.
  if (box.value !== text) return;
  list.replaceChildren(...results);
  status.textContent = text.trim() && (total === 1 ? "1 result" : `${total || "No"} results`);
}

const fail = (error) => (status.textContent = `The search does not work: ${error.message}`);
box.addEventListener("input", () => show().catch(fail));
box.form.addEventListener("submit", (event) => event.preventDefault());
box.value = new URLSearchParams(location.search).get("q") ?? "";
show().catch(fail);
