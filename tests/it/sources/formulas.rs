//! Tests of formulas: those that a generator's settings enable are preserved, in the same blocks as in the generator's pages.
//!
//! The expected blocks are those of Hugo 0.168, kramdown 2.4, remark-math 6, markdown-it-katex 1.1 and Arithmatex 13.1.

use super::projects::ProjectSite;

/// A generator's settings with and without formulas, and the path of a document.
struct Project {
    name: &'static str,
    with: (&'static str, &'static str),
    without: (&'static str, &'static str),
    document: &'static str,
}

const HUGO: Project = Project {
    name: "hugo",
    with: (
        "hugo.toml",
        "[markup.goldmark.extensions.passthrough]\nenable = true\n[markup.goldmark.extensions.passthrough.delimiters]\nblock = [['\\[', '\\]'], ['$$', '$$']]\ninline = [['\\(', '\\)'], ['$', '$']]\n",
    ),
    without: ("hugo.toml", ""),
    document: "content/a.md",
};

const JEKYLL: Project = Project {
    name: "jekyll",
    with: ("_config.yml", "title: A\n"),
    without: ("_config.yml", "kramdown:\n  math_engine: null\n"),
    document: "a.md",
};

const MKDOCS: Project = Project {
    name: "mkdocs",
    with: (
        "mkdocs.yml",
        "site_name: A\nmarkdown_extensions:\n  - pymdownx.arithmatex:\n      generic: true\n",
    ),
    without: ("mkdocs.yml", "site_name: A\n"),
    document: "docs/a.md",
};

const ASTRO: Project = Project {
    name: "astro",
    with: (
        "astro.config.mjs",
        "import remarkMath from 'remark-math';\nexport default { markdown: { remarkPlugins: [remarkMath] } };\n",
    ),
    without: (
        "astro.config.mjs",
        "// import remarkMath from 'remark-math';\nexport default {};\n",
    ),
    document: "src/content/blog/a.md",
};

const DOCUSAURUS: Project = Project {
    name: "docusaurus",
    with: (
        "docusaurus.config.js",
        "import remarkMath from 'remark-math';\nexport default { presets: [['classic', { docs: { remarkPlugins: [remarkMath] } }]] };\n",
    ),
    without: ("docusaurus.config.js", "export default {};\n"),
    document: "docs/a.md",
};

const GATSBY: Project = Project {
    name: "gatsby",
    with: (
        "gatsby-config.js",
        "module.exports = { plugins: ['gatsby-remark-katex'] };\n",
    ),
    without: ("gatsby-config.js", "module.exports = {};\n"),
    document: "content/a.md",
};

const NUXT: Project = Project {
    name: "nuxt",
    with: (
        "nuxt.config.ts",
        "export default defineNuxtConfig({ content: { build: { markdown: { remarkPlugins: { 'remark-math': {} } } } } })\n",
    ),
    without: ("nuxt.config.ts", "export default defineNuxtConfig({})\n"),
    document: "content/a.md",
};

const QUARTZ: Project = Project {
    name: "quartz",
    with: (
        "quartz.config.ts",
        "export default { plugins: { transformers: [Plugin.Latex({ renderEngine: 'katex' })] } }\n",
    ),
    without: ("quartz.config.ts", "export default {}\n"),
    document: "content/a.md",
};

const VITEPRESS: Project = Project {
    name: "vitepress",
    with: (
        ".vitepress/config.js",
        "export default { markdown: { math: true } }\n",
    ),
    without: (".vitepress/config.js", "export default {}\n"),
    document: "a.md",
};

const VUEPRESS: Project = Project {
    name: "vuepress",
    with: (
        ".vuepress/config.js",
        "import { markdownMathPlugin } from '@vuepress/plugin-markdown-math'\nexport default { plugins: [markdownMathPlugin({ type: 'katex' })] }\n",
    ),
    without: (".vuepress/config.js", "export default {}\n"),
    document: "a.md",
};

const ELEVENTY: Project = Project {
    name: "eleventy",
    with: (
        "eleventy.config.js",
        "import katex from '@vscode/markdown-it-katex';\nexport default (config) => config.amendLibrary('md', (md) => md.use(katex));\n",
    ),
    without: ("eleventy.config.js", "export default () => {};\n"),
    document: "a.md",
};

const MDBOOK: Project = Project {
    name: "mdbook",
    with: ("book.toml", "[book]\n[preprocessor.katex]\n"),
    without: (
        "book.toml",
        "[book]\n[output.html]\nmathjax-support = true\n",
    ),
    document: "src/a.md",
};

const PELICAN: Project = Project {
    name: "pelican",
    with: (
        "pelicanconf.py",
        "PLUGINS = ['pelican.plugins.render_math']\n",
    ),
    without: ("pelicanconf.py", "PLUGINS = []\n"),
    document: "content/a.md",
};

/// The generators in which a setting enables or disables formulas.
const ALL: [Project; 13] = [
    HUGO, JEKYLL, MKDOCS, ASTRO, DOCUSAURUS, GATSBY, NUXT, QUARTZ, VITEPRESS, VUEPRESS, ELEVENTY,
    MDBOOK, PELICAN,
];

/// Returns the HTML of a document with this body.
fn html(project: &Project, settings: (&str, &str), text: &str) -> String {
    let front = "---\ntitle: A\ndate: 2026-02-03\n---\n\n";
    let text = format!("{front}{text}");
    let served = ProjectSite::of(&[settings, (project.document, &text)]);
    let profile = served.reconciler.layout().profile().name;
    assert_eq!(profile, project.name);
    served.html("a").trim_end().to_owned()
}

#[test]
fn formulas_are_preserved_if_the_settings_enable_them() {
    let text = "$$\na_1 *b* \\\\\nc\\,d\n$$\n";
    for project in &ALL {
        let with = html(project, project.with, text);
        let is_jekyll = project.name == "jekyll";
        let expected = if is_jekyll {
            "<p>\\[a_1 *b* \\\\\nc\\,d\\]</p>"
        } else {
            "<p>$$\na_1 *b* \\\\\nc\\,d\n$$</p>"
        };
        assert_eq!(with, expected, "{}", project.name);
        let without = html(project, project.without, text);
        assert!(
            without.contains("<em>b</em>"),
            "{}: {without}",
            project.name
        );
    }
}

#[test]
fn formula_blocks_match_those_of_the_generator() {
    let direct = "a\n$$\nb_1 *c* d_2\n$$\ne\n";
    let apart = "<p>a</p>\n<p>$$\nb_1 *c* d_2\n$$</p>\n<p>e</p>";
    let blanks = "$$\na\n\n- b\n\n# c\n$$\n";
    let one = "<p>$$\na\n\n- b\n\n# c\n$$</p>";
    let quote = "> a\n> $$\n> b *c* d\n> $$\n> e\n";
    let in_quote = "<blockquote>\n<p>a</p>\n<p>$$\nb *c* d\n$$</p>\n<p>e</p>\n</blockquote>";
    let line = "a $$b *c* d$$ e\n";
    for project in [
        ASTRO, DOCUSAURUS, GATSBY, NUXT, QUARTZ, VITEPRESS, VUEPRESS, ELEVENTY,
    ] {
        for (text, expected) in [(direct, apart), (blanks, one), (quote, in_quote)] {
            assert_eq!(
                html(&project, project.with, text),
                expected,
                "{}",
                project.name
            );
        }
    }
    for (project, text, expected) in [
        (&HUGO, direct, apart),
        (&HUGO, line, "<p>a</p>\n<p>$$b *c* d$$</p>\n<p>e</p>"),
        (
            &HUGO,
            "> a $$b *c*$$\n",
            "<blockquote>\n<p>a</p>\n<p>$$b *c*$$</p>\n</blockquote>",
        ),
        (
            &HUGO,
            "\\[\na *b* \\\\\n= c\n\\]\n",
            "<p>\\[\na *b* \\\\\n= c\n\\]</p>",
        ),
        (&HUGO, "a \\(b *c* d\\) e\n", "<p>a \\(b *c* d\\) e</p>"),
        (&ASTRO, line, "<p>a $$b *c* d$$ e</p>"),
        (&ASTRO, "\\[ *a* \\]\n", "<p>[ <em>a</em> ]</p>"),
        (&ASTRO, "$$a *b*$$\nc\n", "<p>$$a *b*$$\nc</p>"),
        (&VITEPRESS, "$$a *b*$$\nc\n", "<p>$$a *b*$$</p>\n<p>c</p>"),
        (&JEKYLL, blanks, "<p>\\[a\n\n- b\n\n# c\\]</p>"),
        (&JEKYLL, direct, "<p>a\n\\(\nb_1 *c* d_2\n\\)\ne</p>"),
        (
            &MKDOCS,
            "\\[\na *b* \\\\\n= c\n\\]\n",
            "<p>\\[\na *b* \\\\\n= c\n\\]</p>",
        ),
        (
            &MKDOCS,
            "a \\(b *c* d\\) $e *f* g$\n",
            "<p>a \\(b *c* d\\) $e *f* g$</p>",
        ),
        (
            &MKDOCS,
            "a\n$$\nb *c* d\n$$\n",
            "<p>a\n$$\nb <em>c</em> d\n$$</p>",
        ),
        (
            &MKDOCS,
            "1. a\n\n    $$\n    b*c*d\n    $$\n\n2. e\n",
            "<ol>\n<li>\n<p>a</p>\n<p>$$\nb*c*d\n$$</p>\n</li>\n<li>\n<p>e</p>\n</li>\n</ol>",
        ),
    ] {
        let rendered = html(project, project.with, text);
        assert_eq!(rendered, expected, "{}: {text}", project.name);
    }
}

#[test]
fn dollar_prices_are_text() {
    for project in &ALL {
        let rendered = html(project, project.with, "It costs $5 *or* $6.\n");
        assert_eq!(
            rendered, "<p>It costs $5 <em>or</em> $6.</p>",
            "{}",
            project.name
        );
    }
}
