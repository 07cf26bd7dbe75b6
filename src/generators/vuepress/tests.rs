//! Tests of the settings of VuePress.

use std::path::Path;

use crate::{
    generators::{
        ProjectSettings, document::Document, generator::Generator, profile::POST, tables::*,
        vuepress::VuePress,
    },
    render::markdown::{BareLinks, Math},
};

fn settings(configuration: &str) -> ProjectSettings {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), configuration);
    ProjectSettings::read(&VuePress, folder.path())
}

fn write(folder: &Path, configuration: &str) {
    std::fs::create_dir_all(folder.join(".vuepress")).unwrap();
    std::fs::write(folder.join(".vuepress/config.js"), configuration).unwrap();
}

fn published_path(settings: &ProjectSettings, path: &str, page: &str) -> Option<String> {
    let page: serde_json::Value = serde_json::from_str(page).unwrap();
    VuePress.published_path(&Document {
        in_project: path,
        below_root: path,
        settings,
        role: POST,
        page: page.as_object().unwrap(),
        title: "Fog",
        date_of_path: path.get(7..17).and_then(|date| date.parse().ok()),
        date: None,
    })
}

#[test]
fn options_of_the_theme_hope_are_in_a_file_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "import theme from './theme.js'\nexport default { theme }\n",
    );
    let theme = "import { hopeTheme } from 'vuepress-theme-hope'\nexport default hopeTheme({ markdown: {\n  gfm: true,\n  mark: true,\n  include: {\n    resolvePath: (file, cwd) => {\n      if (file.startsWith('@'))\n        return path.resolve(__dirname, '../parts', file.replace('@', './'));\n      return path.resolve(cwd, file);\n    },\n  },\n} })\n";
    std::fs::write(folder.path().join(".vuepress/theme.ts"), theme).unwrap();
    let read = ProjectSettings::read(&VuePress, folder.path());
    let dialect = read.dialect.unwrap();
    assert_eq!(dialect.bare_links, BareLinks::MarkdownIt);
    assert!(dialect.line_breaks && dialect.highlights);
    let environment = Environment {
        site: read.site,
        partial: Some(&|_, path| {
            (path == "/parts/end.md").then(|| IncludedFile {
                path: "parts/end.md".to_owned(),
                text: "*The end*, [first](start.md) ![](/a.png)\n".to_owned(),
            })
        }),
        ..environment()
    };
    let text = "A\n\n<!-- @include: @end.md -->\n";
    let (made, reported) = expanded(text, &VuePress, &environment);
    assert_eq!(
        (made.as_str(), reported),
        (
            "A\n\n*The end*, [first](/parts/start.md) ![](/a.png)\n",
            Vec::new()
        )
    );
}

#[test]
fn patterns_of_version_1_are_of_the_site_or_of_folders() {
    let of_site = settings(
        "module.exports = {\n  permalink: '/:year/:month/:i_day/:slug',\n  markdown: { anchor: { permalink: true } },\n  locales: {\n    '/zh/': { lang: 'zh-CN' },\n  },\n};\n",
    );
    for (path, page, expected) in [
        (
            "a/Night Ferry.md",
            r#"{"date": "2024-05-01"}"#,
            "2024/05/1/night-ferry",
        ),
        ("_posts/2024-05-02-fog.md", "{}", "2024/05/2/fog"),
        ("zh/a.md", r#"{"date": "2024-05-01"}"#, "zh/2024/05/1/a"),
        ("a/b.md", r#"{"permalink": "/c/:slug/"}"#, "c/b/"),
    ] {
        let path_of = published_path(&of_site, path, page);
        assert_eq!(path_of.as_deref(), Some(expected), "{path}");
    }
    let of_folders = settings(
        "module.exports = {\n  plugins: [['@vuepress/blog', { directories: [{ id: 'post', dirname: '_posts', path: '/' }, { id: 'n', dirname: 'notes', itemPermalink: '/n/:slug' }] }]],\n};\n",
    );
    for (path, expected) in [
        ("_posts/2024-05-02-fog.md", "2024/05/02/fog"),
        ("notes/README.md", "n/notes"),
        ("other/a.md", "other/a.html"),
    ] {
        let path_of = published_path(&of_folders, path, "{}");
        assert_eq!(path_of.as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn patterns_of_version_2_are_of_the_site_or_of_documents() {
    let settings = settings(
        "export default defineUserConfig({\n  permalinkPattern: ':year/:slug.html',\n});\n",
    );
    for (path, page, expected) in [
        ("a/Fog.md", r#"{"date": "2024-05-01"}"#, "2024/Fog.html"),
        ("2023/04/fog.md", "{}", "2023/fog.html"),
        ("a/b.md", r#"{"permalinkPattern": null}"#, "a/b.html"),
        ("a/b.md", r#"{"permalinkPattern": ":raw/x"}"#, "a/b.html/x"),
        ("a/b.md", r#"{"permalink": "/c:d/"}"#, "/c:d/"),
    ] {
        let path_of = published_path(&settings, path, page);
        assert_eq!(path_of.as_deref(), Some(expected), "{path}");
    }
    assert_eq!(published_path(&settings, "a/b.md", "{}"), None);
}

#[test]
fn bare_urls_are_links_by_a_setting() {
    let links = |configuration: &str| settings(configuration).dialect.unwrap().bare_links;
    assert_eq!(links("module.exports = {};\n"), BareLinks::None);
    assert_eq!(
        links("module.exports = { markdown: { linkify: true } };\n"),
        BareLinks::MarkdownIt
    );
    assert_eq!(
        links("export default defineUserConfig({});\n"),
        BareLinks::None
    );
}

#[test]
fn formulas_are_preserved_by_plugins_and_options_of_themes() {
    let math = |configuration: &str| settings(configuration).dialect.unwrap().math;
    for (configuration, expected) in [
        ("export default defineUserConfig({});\n", Math::NONE),
        (
            "import { mdEnhancePlugin } from 'vuepress-plugin-md-enhance';\nexport default defineUserConfig({ plugins: [mdEnhancePlugin({ katex: true })] });\n",
            Math::MARKDOWN_IT,
        ),
        (
            "import { hopeTheme } from 'vuepress-theme-hope';\nexport default defineUserConfig({ theme: hopeTheme({ markdown: { math: { type: 'katex' } } }) });\n",
            Math::MARKDOWN_IT,
        ),
    ] {
        assert_eq!(math(configuration), expected, "{configuration}");
    }
}
