import { defineConfig } from "astro/config";

// `galley exec` sets SITE_URL to the `url` in content/site.toml.
export default defineConfig({ site: process.env.SITE_URL });
