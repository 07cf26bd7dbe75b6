// Sites with content that is difficult to lay out: long words, a language other than English, and every card of the editor.

import { fileURLToPath } from "node:url";

/** The folder of the site. */
export const awkwardSite = fileURLToPath(new URL("content/", import.meta.url));

/** Arguments with which Galley does not serve the pages of a theme. */
export const headless = ["--config", fileURLToPath(new URL("headless.toml", import.meta.url))];

/** The paths of previews: of the site's draft, and of the draft with players, calls to action and forms. */
export const draft = "/p/0d5a7c5e-2f0b-4d0e-9d0a-3b1f6a7c8e9f/";
export const furtherCards = "/p/6f3f1c52-9d5e-4a53-8a6c-6f0c1f2b7d31/";
