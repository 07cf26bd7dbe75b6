//! The inputs of expansion other than the text.

use serde_json::{Map, Value};

use crate::generators::syntax::setting_text::value_at;

/// An included file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedFile {
    /// Its path in the content folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Returns the file that another file includes. The arguments are the path of the including file and the path as written in
/// it.
pub type Partial<'e> = &'e (dyn Fn(&str, &str) -> Option<IncludedFile> + 'e);

/// The inputs of expansion other than the text.
#[derive(Clone, Default)]
pub struct Environment<'e> {
    /// The path of the document.
    pub file: &'e str,
    /// Whether the document is MDX, because the file's name ends with `.mdx`.
    pub is_mdx: bool,
    /// Whether documents other than MDX are plain Markdown, according to the project's settings.
    pub is_plain_markdown: bool,
    /// Whether the front matter disables templates: `render_with_liquid: false`, `templateEngineOverride: md`.
    pub is_without_templates: bool,
    /// The origin of the site: `https://example.org`.
    pub url: String,
    /// The base path of the site: `/blog`.
    pub baseurl: String,
    /// The site's settings: `site.title`, parameters of Hugo.
    pub site: Map<String, Value>,
    /// The document's front matter.
    pub page: Map<String, Value>,
    /// Finds included files: `./_partial.mdx`, `_includes/note.html`.
    pub partial: Option<Partial<'e>>,
}

impl Environment<'_> {
    /// Returns the value of `name`, which may be dotted, from the front matter, its `params`, or else the site's settings.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let of_params = || value_at(&self.page, &format!("params.{name}"));
        let own = value_at(&self.page, name).or_else(of_params);
        own.or_else(|| value_at(&self.site, name))
    }
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("file", &self.file)
            .field("is_mdx", &self.is_mdx)
            .field("is_without_templates", &self.is_without_templates)
            .field("url", &self.url)
            .field("baseurl", &self.baseurl)
            .finish_non_exhaustive()
    }
}
