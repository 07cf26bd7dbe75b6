//! The differences between generators with Liquid.

use crate::generators::syntax::{ExpansionScope, catalogue::TagRendering};

/// Renders a tag, given its name, arguments and content. Returns `None` if the tag is not one of the generator's own.
type OwnTags = fn(&str, &str, Option<&str>, ExpansionScope<'_>) -> Option<TagRendering>;

/// The differences between generators with Liquid.
#[derive(Debug)]
pub struct LiquidDialect {
    /// Whether it has Nunjucks' comments, values and parameters of inclusions.
    pub is_nunjucks: bool,
    /// Whether the tags `post_url` and `link` produce URLs of documents.
    pub has_url_tags: bool,
    /// Whether text between `{% raw %}` and `{% endraw %}` is not parsed as Markdown.
    pub has_html_in_raw: bool,
    /// The generator's own tags, which take precedence over the common ones.
    pub own_tags: OwnTags,
}

impl LiquidDialect {
    /// Liquid without generator-specific tags.
    pub const LIQUID: Self = Self {
        is_nunjucks: false,
        has_url_tags: true,
        has_html_in_raw: false,
        own_tags: |_, _, _, _| None,
    };
}
