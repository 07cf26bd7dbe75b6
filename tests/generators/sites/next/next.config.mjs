import createMDX from "@next/mdx";

const withMDX = createMDX({ options: { remarkPlugins: [["remark-gfm"]], rehypePlugins: [["rehype-slug"]] } });

export default withMDX({ output: "export", pageExtensions: ["js", "md", "mdx"] });
