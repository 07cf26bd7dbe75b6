import { defineConfig } from "astro/config";

// `galley exec` says in SITE_URL where content/site.toml puts the site.
export default defineConfig({ site: process.env.SITE_URL });
