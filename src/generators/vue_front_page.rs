//! The front matter of front pages in VitePress and VuePress.

use serde_json::{Map, Value as Json};

use crate::content_text::{
    Span,
    document::{Kind, Table},
};

/// Completes the front matter of a front page with `values`, which contain the title of the site. Other documents are
/// unchanged.
pub fn complete_front_page(table: &mut Table, values: &Map<String, Json>, opening: Span) {
    let value = |key: &str| {
        let mut entries = table.entries.iter();
        let entry = entries.find(|(name, _)| name.value == key);
        entry.map(|(_, value)| &value.value)
    };
    // VuePress marks the front page by `home`, and VitePress by its layout.
    let is_front_page = matches!(value("home"), Some(Kind::Boolean(true)))
        || matches!(value("layout"), Some(Kind::Text(layout)) if layout == "home");
    if is_front_page {
        table.complete(values, opening);
    }
}
