//! Reads the settings of Gatsby: literal values and known plugins in `gatsby-config.*`.

use std::{path::Path, sync::LazyLock};

use serde_json::Value as Json;

use crate::{
    generators::{
        profile::POST,
        settings::{
            ProjectSettings, Regex, is_of_posts,
            literals::{clean, literal, regex},
            math_plugins,
            reference::{SettingRow, no_effect, read, reported},
            script_in, scripts,
        },
    },
    render::markdown::{Dialect, Typography},
};

/// The settings that make URLs or change Markdown, from the references of Gatsby and of its Markdown plugins.
pub(super) const ROWS: &[SettingRow] = &[
    read("gatsby-plugin-mdx"),
    read("gatsby-remark-smartypants"),
    read("gatsby-source-filesystem"),
    read("pathPrefix"),
    read("siteMetadata.siteUrl"),
    reported(
        "mdxOptions",
        "",
        "plugins are not run, and the Markdown is read without them",
    ),
    no_effect("gatsby-remark-autolink-headers"),
    no_effect("gatsby-remark-images"),
    no_effect("gatsby-remark-prismjs"),
    no_effect("trailingSlash"),
];

const CONFIGURATION: [&str; 1] = ["gatsby-config"];

/// Reads the settings of the project `root`. The defaults are the dialect `dialect` and the folders of documents `usual`.
pub(super) fn read_project(root: &Path, mut dialect: Dialect, usual: &[&str]) -> ProjectSettings {
    let script = script_in(root, &CONFIGURATION);
    if script.contains("gatsby-remark-smartypants") {
        dialect.typography = Typography::EM_DASHES;
    }
    dialect.math = math_plugins::of_remark(&script);
    let mut settings = ProjectSettings {
        dialect: Some(dialect),
        ..ProjectSettings::default()
    };
    settings.add_sources(root, &script, usual);
    settings.set_url(&literal(&script, "siteUrl").unwrap_or_default());
    if let Some(prefix) = literal(&script, "pathPrefix") {
        settings.base_path = prefix.trim_end_matches('/').to_owned();
    }
    if reads_markdown_as_mdx(&script) {
        settings.site.insert(MDX.to_owned(), Json::Bool(true));
    }
    settings.report_scripts(root, &CONFIGURATION, ROWS);
    settings
}

/// The site variable that is set if all Markdown is MDX.
pub(super) const MDX: &str = "gatsby-plugin-mdx";

/// Returns whether the MDX plugin also reads files with the extension of Markdown.
fn reads_markdown_as_mdx(script: &str) -> bool {
    // The bound of 200 characters holds the match within the options of the plugin.
    static EXTENSIONS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"gatsby-plugin-mdx[\s\S]{0,200}?extensions\s*:\s*\[[^\]]*["'`]\.md["'`]"#)
    });
    EXTENSIONS.is_match(script)
}

/// The plugin that reads the files of a folder.
const SOURCE: &str = "gatsby-source-filesystem";

/// Maximum length of the options of a plugin, in bytes. The rest is not read.
const OPTIONS_BYTES_MAX: usize = 1_000;

impl ProjectSettings {
    /// Adds the folders that the project `root` reads as folders of documents, to which the paths of documents are relative.
    /// If one of the folders is computed, the `usual` folders are added, too.
    fn add_sources(&mut self, root: &Path, script: &str, usual: &[&str]) {
        let starts = script.match_indices(SOURCE).map(|(start, _)| start);
        let paths = starts.filter_map(|start| {
            let end = script.floor_char_boundary(start + OPTIONS_BYTES_MAX);
            let options = &script[start + SOURCE.len()..end];
            // The plugin is usually listed several times. The options of the next
            // instance are not those of this one.
            let options = options.split(SOURCE).next().unwrap_or_default();
            scripts::values_of(options, "path").next()
        });
        let folders: Vec<Option<String>> = paths.map(folder_of).collect();
        let is_complete = folders.iter().all(Option::is_some);
        let mut roots: Vec<String> = folders.into_iter().flatten().collect();
        roots.retain(|folder| root.join(folder).is_dir());
        if roots.is_empty() {
            return;
        }
        let usual = usual
            .iter()
            // Gatsby reads `src/pages` without a plugin.
            .filter(|folder| !is_complete || **folder == "src/pages");
        roots.extend(usual.map(|folder| (*folder).to_owned()));
        // The most specific folder comes first: paths of documents are relative
        // to the first root that contains them.
        roots.sort_by_key(|folder| (std::cmp::Reverse(folder.len()), folder.clone()));
        roots.dedup();
        let of_posts = roots.iter().filter(|folder| {
            let name = folder.rsplit('/').next().unwrap_or_default();
            is_of_posts(name)
        });
        self.rules = of_posts
            .map(|folder| (format!("{folder}/**"), POST))
            .collect();
        self.roots = roots;
    }
}

/// Returns the folder, relative to the project, that an expression names: `${__dirname}/content` or
/// `path.join(__dirname, "content")`. Returns `None` if parts of the expression are not literal.
fn folder_of(expression: &str) -> Option<String> {
    static LITERAL: LazyLock<Regex> =
        LazyLock::new(|| regex(r#""([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`"#));
    static AROUND: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:path\.|join|resolve|__dirname|[(),+ \t\r\n])*$"));
    let parts = LITERAL.captures_iter(expression).filter_map(|found| {
        let part = found.iter().skip(1).flatten().next()?;
        Some(part.as_str().replace("${__dirname}", ""))
    });
    let parts: Vec<String> = parts.collect();
    let around = LITERAL.replace_all(expression, "");
    let folder = clean(&parts.join("/").replace("//", "/"));
    let is_literal = AROUND.is_match(&around) && !folder.contains("${");
    // A folder outside of the project is not a folder of documents here.
    let is_inside = !folder.split('/').any(|part| part == "..");
    (is_literal && is_inside && !parts.is_empty()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::gatsby::Gatsby;

    #[test]
    fn folders_of_expressions_are_literal() {
        for (expression, expected) in [
            ("`${__dirname}/content/blog`", Some("content/blog")),
            ("path.join(__dirname, 'src', \"posts\")", Some("src/posts")),
            ("path.resolve(`./_posts/`)", Some("_posts")),
            ("__dirname + '/content'", Some("content")),
            ("\"content\"", Some("content")),
            ("`${__dirname}/${folder}`", None),
            ("options.path", None),
            ("`${__dirname}/../notes`", None),
        ] {
            assert_eq!(folder_of(expression).as_deref(), expected, "{expression}");
        }
    }

    #[test]
    fn markdown_is_mdx_if_the_plugin_reads_it() {
        for (script, expected) in [
            (
                "plugins: [{ resolve: `gatsby-plugin-mdx`, options: { extensions: [`.mdx`, `.md`] } }]",
                true,
            ),
            (
                "plugins: [{ resolve: 'gatsby-plugin-mdx', options: { extensions: ['.mdx'] } }]",
                false,
            ),
            ("plugins: ['gatsby-plugin-mdx']", false),
        ] {
            assert_eq!(reads_markdown_as_mdx(script), expected, "{script}");
        }
    }

    #[test]
    fn sources_of_files_are_the_folders_of_documents() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["_posts", "content/notes"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        let script = "module.exports = { plugins: [\n  { resolve: `gatsby-source-filesystem`, options: { name: 'a', path: `${__dirname}/_posts` } },\n  { resolve: `gatsby-source-filesystem`, options: { path: `${__dirname}/content/notes` } },\n  { resolve: 'gatsby-source-filesystem', options: { path: 'gone' } },\n] };\n";
        let read = |script: &str| {
            std::fs::write(folder.path().join("gatsby-config.js"), script).unwrap();
            ProjectSettings::read(&Gatsby, folder.path())
        };
        let settings = read(script);
        assert_eq!(settings.roots, ["content/notes", "src/pages", "_posts"]);
        assert_eq!(settings.rules, [("_posts/**".to_owned(), POST)]);
        let settings = read(&script.replace("'gone'", "folder"));
        assert!(settings.roots.contains(&"content".to_owned()));
        assert!(read("module.exports = {};\n").roots.is_empty());
    }
}
