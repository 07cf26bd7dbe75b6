//! The syntax of a generator's documents.

use crate::generators::syntax::{
    callout::CalloutTag, environment::Environment, expanded_text::ExpandedText,
    scope::ExpansionScope,
};

/// Expands one kind of syntax in a text.
pub(super) type Pass = fn(&str, ExpansionScope<'_>) -> ExpandedText;

/// The syntax of a generator's documents beyond Markdown.
#[derive(Debug)]
pub struct DocumentSyntax {
    /// Returns whether a document is MDX although its file does not have the extension of MDX.
    pub(crate) is_mdx: fn(&str, &Environment<'_>) -> bool,
    /// The passes for templates, which front matter can disable.
    pub(crate) templates: &'static [Pass],
    /// The passes after the templates.
    pub(crate) passes: &'static [Pass],
    /// Whether this syntax is also expanded in HTML documents.
    pub(crate) is_in_html: bool,
    /// The component for callouts that the generator renders in its own way.
    pub(crate) callout: Option<CalloutTag>,
}

impl DocumentSyntax {
    /// Plain Markdown, and MDX only in files with its extension.
    pub(crate) const NONE: Self = Self {
        is_mdx: |_, _| false,
        templates: &[],
        passes: &[],
        is_in_html: false,
        callout: None,
    };

    /// Returns whether documents other than MDX are plain Markdown.
    pub fn is_plain(&self) -> bool {
        self.templates.is_empty() && self.passes.is_empty()
    }

    /// Returns whether this syntax is expanded in HTML documents.
    pub fn is_in_html(&self) -> bool {
        self.is_in_html
    }
}
