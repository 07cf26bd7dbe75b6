//! Compares simple paragraphs without their normal forms.

/// The elements in a paragraph whose content can be compared as text.
const ELEMENTS: [&str; 6] = ["p", "strong", "em", "code", "a", "img"];

/// Returns whether two paragraphs are equal except for line breaks between words and the notation of quotation marks,
/// and so have equal [`NormalForm`](super::NormalForm)s. This is much faster than computing the forms. `false` is
/// inconclusive.
pub fn are_paragraphs_alike(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|html| html.trim_ascii());
    let is_paragraph = one.starts_with("<p>") && one.ends_with("</p>");
    // Other elements may contain text with preserved white space, or a heading.
    let mut tags = memchr::memchr_iter(b'<', one.as_bytes()).map(|offset| &one[offset + 1..]);
    // The tags of `other` need no check: the comparison requires that they are equal to these.
    is_paragraph
        && tags.all(|tag| {
            let name_end = tag.find([' ', '>']).unwrap_or(tag.len());
            let name = tag[..name_end].trim_start_matches('/');
            ELEMENTS.contains(&name)
        })
        && are_texts_alike(one.as_bytes(), other.as_bytes())
}

/// Returns whether two HTML texts are equal except for line ends and quotation marks outside of tags.
fn are_texts_alike(mut one: &[u8], mut other: &[u8]) -> bool {
    const QUOTE: &[u8] = b"&quot;";
    let mut is_in_tag = false;
    // The quotation mark that ends the current attribute value.
    let mut value_end = None;
    while let ([first, rest @ ..], [second, other_rest @ ..]) = (one, other) {
        let is_same = first == second
            || !is_in_tag && matches!((first, second), (b'\n', b' ') | (b' ', b'\n'));
        (one, other) = match (first, second) {
            _ if is_same => (rest, other_rest),
            // Inside a tag, quotation marks delimit values and are never written as entities.
            _ if is_in_tag => return false,
            (b'&', b'"') if one.starts_with(QUOTE) => (&one[QUOTE.len()..], other_rest),
            (b'"', b'&') if other.starts_with(QUOTE) => (rest, &other[QUOTE.len()..]),
            _ => return false,
        };
        match (*first, value_end) {
            (mark, Some(end)) if mark == end => value_end = None,
            (_, Some(_)) => {}
            (mark @ (b'"' | b'\''), None) if is_in_tag => value_end = Some(mark),
            (b'<', None) => is_in_tag = true,
            (b'>', None) => is_in_tag = false,
            _ => {}
        }
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::equivalence::NormalForm;

    #[test]
    fn line_breaks_and_quotation_marks_in_text_are_equivalent() {
        for (one, other) in [
            ("<p>a b</p>\n", "<p>a b</p>"),
            ("<p>a\nb</p>", "<p>a b</p>"),
            ("<p>a b\nc</p>", "<p>a\nb c</p>"),
            ("<p>&quot;a&quot;</p>", "<p>\"a\"</p>"),
            ("<p>\"a&quot;</p>", "<p>&quot;a\"</p>"),
            (
                "<p><em>a\nb</em> <a href=\"/c\">d</a></p>",
                "<p><em>a b</em>\n<a href=\"/c\">d</a></p>",
            ),
            (
                "<p><img src=\"/a\" alt=\"b>\">\nc</p>",
                "<p><img src=\"/a\" alt=\"b>\"> c</p>",
            ),
            ("<p>a</p>\n<p>b\nc</p>", "<p>a</p> <p>b c</p>"),
        ] {
            assert!(are_paragraphs_alike(one, other), "{one} {other}");
            let [one, other] = [one, other].map(NormalForm::of);
            assert!(one.shows_the_same(&other));
        }
    }

    #[test]
    fn other_differences_are_not_equivalent() {
        for (one, other) in [
            // Renders differently.
            ("<p>a b</p>", "<p>ab</p>"),
            ("<p>a</p>", "<p>a</p><p>b</p>"),
            ("<p>a b</p>", "<p>a\u{a0}b</p>"),
            ("<p>a</p>", "<p>A</p>"),
            (
                "<p><a href=\"/a b\">c</a></p>",
                "<p><a href=\"/a\nb\">c</a></p>",
            ),
            (
                "<p><a title='>a b' href=\"/c\">d</a></p>",
                "<p><a title='>a\nb' href=\"/c\">d</a></p>",
            ),
            ("<p><img alt=\"&quot;\"></p>", "<p><img alt=\"\"\"></p>"),
            // Needs the normal forms.
            ("<h2>a</h2>", "<h2>a</h2>"),
            ("<p>a<br>b</p>", "<p>a<br>b</p>"),
            (
                "<p>a<!--members-only-->b</p>",
                "<p>a<!--members-only-->b</p>",
            ),
            ("<p><pre>a\nb</pre></p>", "<p><pre>a b</pre></p>"),
            ("<p class=\"a\">b</p>", "<p class=\"a\">b</p>"),
            ("a", "a"),
            ("", ""),
        ] {
            assert!(!are_paragraphs_alike(one, other), "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn equivalent_paragraphs_have_one_normal_form(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    ("a", "a"), (" ", "\n"), ("\n", " "), (" ", " "), ("\"", "&quot;"), ("&quot;", "\""), ("'", "'"),
                    (">", ">"), ("<em>", "<em>"), ("</em>", "</em>"), ("<code>", "<code>"), ("</code>", "</code>"),
                    ("<a href='>\"x y'>", "<a href='>\"x y'>"), ("<a title=\"'>\"\n>", "<a title=\"'>\"\n>"), ("</a>", "</a>"),
                    ("<img src=\"x\">", "<img src=\"x\">"), ("</p>\n<p>", "</p> <p>"), ("&amp;", "&amp;"),
                ]),
                0..12,
            ),
            swapped in prop::collection::vec(any::<bool>(), 12),
        ) {
            let pick = |other: bool| -> String {
                let parts = parts.iter().zip(&swapped);
                parts.map(|(part, swap)| if *swap && other { part.1 } else { part.0 }).collect()
            };
            let [one, other] = [false, true].map(|other| format!("<p>{}</p>", pick(other)));
            if are_paragraphs_alike(&one, &other) {
                prop_assert!(
                    NormalForm::of(&one).shows_the_same(&NormalForm::of(&other)),
                    "{} {}", one, other
                );
            }
        }
    }
}
