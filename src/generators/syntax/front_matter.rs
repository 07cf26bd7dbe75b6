//! The front matter of included files.

/// Returns a text without its front matter, and the number of lines of the front matter, including its fences.
pub(in crate::generators) fn without_front_matter(text: &str) -> (&str, usize) {
    let Some((head, body)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    else {
        return (text, 0);
    };
    (body, head.matches('\n').count() + 3)
}
