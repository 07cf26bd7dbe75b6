/** @type {import("@docusaurus/types").Config} */
module.exports = {
  title: "Harbour notes",
  url: "https://harbour.example",
  baseUrl: "/",
  trailingSlash: true,
  onBrokenLinks: "warn",
  onBrokenAnchors: "ignore",
  i18n: { defaultLocale: "en", locales: ["en"] },
  markdown: { hooks: { onBrokenMarkdownLinks: "warn", onBrokenMarkdownImages: "warn" } },
  plugins: [
    ["@docusaurus/plugin-content-docs", { sidebarPath: "./sidebars.js" }],
    ["@docusaurus/plugin-content-blog", { onInlineAuthors: "ignore", onInlineTags: "ignore", onUntruncatedBlogPosts: "ignore" }],
    "@docusaurus/plugin-content-pages",
  ],
  themes: ["@docusaurus/theme-classic"],
};
