import mdx from "@astrojs/mdx";
import { defineConfig, passthroughImageService } from "astro/config";

export default defineConfig({
  site: "https://harbour.example",
  integrations: [mdx()],
  image: { service: passthroughImageService() },
  i18n: { defaultLocale: "en", locales: ["en", "de"] },
});
