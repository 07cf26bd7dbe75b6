import { IdAttributePlugin, InputPathToUrlTransformPlugin } from "@11ty/eleventy";

export default function (config) {
  config.addPlugin(IdAttributePlugin);
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.addPassthroughCopy({ "public/": "/" });
  config.addPassthroughCopy("content/blog/**/*.png");
  config.addShortcode("ticket", (price) => `<p class="ticket">A ticket costs ${price}.</p>`);
  config.addPairedShortcode("callout", (content, kind) => `<div class="callout ${kind}">\n\n${content}\n\n</div>`);
  config.addPreprocessor("drafts", "*", (data) => (data.draft ? false : undefined));
}

export const config = {
  dir: { input: "content", includes: "../_includes", data: "../_data", output: "_site" },
};
