//! Rewriting of attribute values in HTML. Every other byte remains unchanged.
//!
//! Used for URLs in hand-written HTML, which must keep its form. Comments and the content of
//! scripts and styles are skipped.

use std::borrow::Cow;

use super::html_scan::{Attribute, Quote, Token, tokens};

/// An attribute with a value, and its context.
pub(crate) struct Occurrence<'a> {
    /// The element's name as written.
    pub(crate) element: &'a str,
    pub(crate) attribute: Attribute<'a>,
    /// True if the element is inside a `code` element.
    pub(crate) in_code: bool,
}

/// Returns `html` with the values that `edit` returns; borrowed if it returns none. Attributes are
/// never added, removed or reordered.
///
/// `edit` gets raw values and returns raw values, in which it must escape ampersands where
/// necessary. The delimiting quote is escaped here, and quotes are added where the new value needs
/// them.
pub(crate) fn rewrite(
    html: &str,
    mut edit: impl FnMut(&Occurrence<'_>) -> Option<String>,
) -> Cow<'_, str> {
    let mut rewritten = String::new();
    let mut copied = 0;
    let mut open_code = 0_usize;
    for token in tokens(html) {
        let tag = match token {
            Token::Start(tag) => tag,
            Token::End(name) if name.eq_ignore_ascii_case("code") => {
                open_code = open_code.saturating_sub(1);
                continue;
            }
            _ => continue,
        };
        for attribute in tag
            .attributes()
            .filter(|attribute| attribute.quote != Quote::NoValue)
        {
            let occurrence = Occurrence {
                element: tag.name,
                attribute,
                in_code: open_code > 0,
            };
            if let Some(value) = edit(&occurrence) {
                rewritten.push_str(&html[copied..attribute.value_start]);
                push_value(&mut rewritten, &value, attribute.quote);
                copied = attribute.value_start + attribute.value.len();
            }
        }
        // After its attributes, which are not inside the element.
        open_code += usize::from(tag.is("code"));
    }
    // A value never begins at offset 0, so nothing was replaced.
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    rewritten.push_str(&html[copied..]);
    Cow::Owned(rewritten)
}

/// Returns `html` without the attributes that have the value `value`.
pub(crate) fn without_value(html: &str, value: &str) -> String {
    let mut rest = String::with_capacity(html.len());
    let mut copied = 0;
    for token in tokens(html) {
        let Token::Start(tag) = token else {
            continue;
        };
        let found = tag.attributes().filter(|found| found.value == value);
        for attribute in found {
            let before = &html[copied..attribute.value_start];
            // Backwards from the value, as white space may surround the equals sign.
            let Some(name) = before.rfind(attribute.name) else {
                continue;
            };
            rest.push_str(before[..name].trim_end());
            let quote = usize::from(matches!(attribute.quote, Quote::Double | Quote::Single));
            copied = attribute.value_start + value.len() + quote;
        }
    }
    rest.push_str(&html[copied..]);
    rest
}

fn push_value(html: &mut String, value: &str, quote: Quote) {
    match quote {
        Quote::Double => html.push_str(&value.replace('"', "&quot;")),
        Quote::Single => html.push_str(&value.replace('\'', "&#39;")),
        Quote::Unquoted | Quote::NoValue if needs_quotes(value) => {
            html.push('"');
            html.push_str(&value.replace('"', "&quot;"));
            html.push('"');
        }
        Quote::Unquoted | Quote::NoValue => html.push_str(value),
    }
}

/// Returns whether an attribute value must be quoted (HTML standard, "unquoted attribute-value
/// syntax").
fn needs_quotes(value: &str) -> bool {
    value.is_empty()
        || value.contains([' ', '\t', '\n', '\r', '\x0c', '"', '\'', '=', '<', '>', '`'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parts that make every state of the scanner likely.
    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            r#"<[a-z]{1,3}( [a-z]{1,2}=("[^"]{0,3}"|'[^']{0,3}'|[a-z]{1,3}))?>"#,
            r"</?(code|script|svg|a|p)[ />]",
            r#"<!--|-->|--!>|<!|<\?|</|[<>"'= /&;é-]"#,
            "[ a-zé\n]{1,4}",
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn upper_case(html: &str) -> Cow<'_, str> {
        rewrite(html, |found| {
            Some(found.attribute.value.to_ascii_uppercase())
        })
    }

    #[test]
    fn only_values_of_start_tags_change() {
        let html = "<A x=\"a\" y='b' z=c k q = \"d\">x=\"e\"</a x=\"f\"><b x=g/>";
        let expected = "<A x=\"A\" y='B' z=C k q = \"D\">x=\"e\"</a x=\"f\"><b x=G/>";
        assert_eq!(upper_case(html), expected);
    }

    #[test]
    fn comments_scripts_and_unfinished_tags_are_skipped() {
        for html in [
            "<!-- <a x=\"y\"> -->",
            "<!--><!---><!-- a --!>text",
            "<script>'<a x=\"y\">'</script >",
            "<STYLE><a x=\"y\"></style>",
            "<title><a x=\"y\">",
            "<!doctype x=\"y\"><?a x=\"y\"?>",
            "<a x=\"y\"",
            "<a x=\"y>",
            "a < b x=\"y\" >",
        ] {
            assert!(
                matches!(upper_case(html), Cow::Borrowed(same) if same == html),
                "{html}"
            );
        }
    }

    #[test]
    fn scanning_continues_after_skipped_parts() {
        for skipped in [
            "<!-->",
            "<!--->",
            "<!-- a --!>",
            "<script></script>",
            "</>",
            "<svg><title/></svg>",
        ] {
            assert_eq!(
                upper_case(&format!("{skipped}<a x=\"y\">")),
                format!("{skipped}<a x=\"Y\">")
            );
        }
    }

    #[test]
    fn value_cannot_break_out_of_its_quotes() {
        let quote_both = |html| rewrite(html, |_| Some("\"'> ".to_owned())).into_owned();
        assert_eq!(quote_both("<a x=\"1\">"), "<a x=\"&quot;'> \">");
        assert_eq!(quote_both("<a x='1'>"), "<a x='\"&#39;> '>");
        assert_eq!(quote_both("<a x=1>"), "<a x=\"&quot;'> \">");
    }

    #[test]
    fn code_is_open_from_its_start_tag_to_its_end_tag() {
        let html = "<code x=1><b x=2></CODE><b x=3></code><b x=4>";
        let mut in_code = Vec::new();
        rewrite(html, |found| {
            in_code.push(found.in_code);
            None
        });
        assert_eq!(in_code, [false, true, false, false]);
    }

    proptest! {
        #[test]
        fn rewriting_values_unchanged_returns_the_input(html in markup()) {
            let same = rewrite(&html, |found| {
                let quoted = matches!(found.attribute.quote, Quote::Double | Quote::Single);
                quoted.then(|| found.attribute.value.to_owned())
            });
            prop_assert_eq!(same, html.as_str());
        }

        #[test]
        fn value_positions_are_exact(html in markup()) {
            rewrite(&html, |found| {
                let Attribute { value, value_start, .. } = found.attribute;
                assert_eq!(&html[value_start..value_start + value.len()], value);
                None
            });
        }

        #[test]
        fn any_string_is_accepted(html in any::<String>()) {
            prop_assert_eq!(rewrite(&html, |_| None), html.as_str());
        }
    }
}
