//! The elements of the head, in order.

use crate::templates::escape;

/// The parts of a head. They are joined by line breaks, and a part may be empty.
#[derive(Default)]
pub(super) struct HeadTags(Vec<String>);

impl HeadTags {
    /// Adds a part of HTML, unchanged.
    pub fn add(&mut self, html: impl Into<String>) {
        self.0.push(html.into());
    }

    /// Adds a `meta` element.
    pub fn add_meta(&mut self, property: &str, content: &str) {
        // Open Graph uses `property`, HTML and X use `name`.
        let is_named = property.starts_with("twitter")
            || matches!(
                property,
                "description" | "generator" | "referrer" | "robots"
            );
        let attribute = if is_named { "name" } else { "property" };
        let content = escape(content);
        self.add(
            [
                "<meta ",
                attribute,
                "=\"",
                property,
                "\" content=\"",
                &content,
                "\">",
            ]
            .concat(),
        );
    }

    /// Adds a `link` element.
    pub fn add_link(&mut self, relation: &str, url: &str) {
        self.add(format!(r#"<link rel="{relation}" href="{}">"#, escape(url)));
    }

    /// Appends HTML to the last part with a script or style; if there is none, adds it as a part.
    pub fn add_to_last_script(&mut self, html: &str) {
        let has_script =
            |part: &&mut String| part.contains("</script>") || part.contains("</style>");
        match self.0.iter_mut().rev().find(has_script) {
            Some(part) => part.push_str(html),
            None => self.add(html),
        }
    }

    /// Returns the content of the head.
    pub fn joined(self) -> String {
        self.0.join("\n    ").trim().to_owned()
    }
}
