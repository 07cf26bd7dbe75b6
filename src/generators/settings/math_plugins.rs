//! Detects plugins for formulas by their names in scripts. Without one, generators read formulas as Markdown.

use std::sync::LazyLock;

use crate::{
    generators::settings::{
        Regex,
        literals::{regex, text_of},
        scripts,
    },
    render::markdown::Math,
};

/// Returns the formula syntax of remark plugins that a script names.
pub(crate) fn of_remark(script: &str) -> Math {
    static PLUGIN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)remark-?(?:math|katex|mathjax)(?-u:\b)"));
    if is_named(script, &PLUGIN) {
        Math::REMARK
    } else {
        Math::NONE
    }
}

/// Returns the formula syntax of remark plugins on which the package in the folder `root` depends.
pub(crate) fn of_package(root: &std::path::Path) -> Math {
    of_remark(&text_of(root, "package.json"))
}

/// Returns the formula syntax of markdown-it plugins that a script names.
pub(crate) fn of_markdown_it(script: &str) -> Math {
    static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)(?:markdown-?it|@mdit/plugin|(?:vue|vite)press|markdown)[-/a-z0-9]*?-?(?:katex|mathjax3?|texmath|math)(?-u:\b|plugin)",
        )
    });
    if is_named(script, &PLUGIN) {
        Math::MARKDOWN_IT
    } else {
        Math::NONE
    }
}

fn is_named(script: &str, plugin: &Regex) -> bool {
    let mut found = plugin.find_iter(script);
    found.any(|found| !scripts::is_in_comment(script, found.start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_found_by_their_names() {
        for (script, remark, markdown_it) in [
            ("import remarkMath from 'remark-math'", true, false),
            ("plugins: ['gatsby-remark-katex']", true, false),
            ("// import remarkMath from 'remark-math'", false, false),
            ("import remarkGfm from 'remark-gfm'", false, false),
            ("const katex = require('markdown-it-katex')", false, true),
            ("import mk from \"@vscode/markdown-it-katex\"", false, true),
            ("import { katex } from '@mdit/plugin-katex'", false, true),
            ("markdownMathPlugin({ type: 'katex' })", false, true),
            ("['vuepress-plugin-mathjax']", false, true),
            ("require('eleventy-plugin-mathjax')", false, false),
        ] {
            assert_eq!(of_remark(script) == Math::REMARK, remark, "{script}");
            let is_named = of_markdown_it(script) == Math::MARKDOWN_IT;
            assert_eq!(is_named, markdown_it, "{script}");
        }
    }
}
