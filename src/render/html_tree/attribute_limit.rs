//! Limits the number of attributes of start tags.
//!
//! html5ever compares each attribute of a tag with all attributes before it, which takes quadratic
//! time.

use std::borrow::Cow;

use crate::render::html_scan::{Attribute, Quote, Token, tokens};

/// Maximum number of attributes of an element. Further ones are dropped.
const ATTRIBUTES_MAX: usize = 256;

/// Returns `html` without excess attributes; borrowed if nothing changes.
pub(super) fn without_excess_attributes(html: &str) -> Cow<'_, str> {
    // An attribute takes at least two bytes: its name and a separator.
    if html.len() < 2 * ATTRIBUTES_MAX {
        return Cow::Borrowed(html);
    }
    let mut shortened = String::new();
    let mut copied = 0;
    for token in tokens(html) {
        let Token::Start(tag) = token else { continue };
        let mut attributes = tag.attributes().skip(ATTRIBUTES_MAX - 1);
        // The first one is the last permitted attribute; without any after it, nothing is cut.
        if let (Some(last_copied), Some(last)) = (attributes.next(), attributes.last()) {
            shortened.push_str(&html[copied..end(last_copied)]);
            copied = end(last);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    shortened.push_str(&html[copied..]);
    Cow::Owned(shortened)
}

/// Returns the byte offset of the end of an attribute.
fn end(attribute: Attribute<'_>) -> usize {
    let quote = matches!(attribute.quote, Quote::Double | Quote::Single);
    attribute.value_start + attribute.value.len() + usize::from(quote)
}
