import { createElement } from "react";

export default function Callout({ type = "note", children }) {
  return createElement("aside", { className: `callout ${type}` }, children);
}

export function Price({ of }) {
  return createElement("b", { className: "price" }, of);
}
