import { createElement } from "react";

export function useMDXComponents(components) {
  return { ...components, Ferry: () => createElement("b", null, "Meeuw") };
}
