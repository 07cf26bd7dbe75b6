//! Recognition of cards in HTML.
//!
//! Cards rendered by Ghost are recognised by their classes. Some information is lost: HTML in them
//! is often read as text (Ghost 6.65, recorded). Images, frames, code, tables, and some classes of
//! Medium and Squarespace are recognised, too.

use serde_json::{Value, json};
use url::Url;

use crate::render::{
    html_to_lexical::{numbers::trimmed, text::Lines},
    html_tree::Node,
};

/// A kind of element that is converted to a card.
pub(in crate::render) struct HtmlForm {
    /// The name of the element.
    element: &'static str,
    matches: Matches,
    card: CardConversion,
}

/// The elements with the name that are converted.
enum Matches {
    All,
    /// Elements with this class.
    Class(&'static str),
    If(fn(Node<'_>) -> bool),
}

/// The function that returns the card of an element, or `None` if there is nothing to show.
enum CardConversion {
    Alone(fn(Node<'_>) -> Option<Value>),
    /// The function also removes sibling elements that belong to the card from the lines.
    WithSiblings(fn(Node<'_>, &mut Lines) -> Option<Value>),
}

impl HtmlForm {
    /// Returns the form of all elements with this name.
    pub(super) const fn of_element(
        element: &'static str,
        card: fn(Node<'_>) -> Option<Value>,
    ) -> Self {
        Self {
            element,
            matches: Matches::All,
            card: CardConversion::Alone(card),
        }
    }

    /// Returns the form of elements with this name and class.
    pub(super) const fn of_class(
        element: &'static str,
        class: &'static str,
        card: fn(Node<'_>) -> Option<Value>,
    ) -> Self {
        Self {
            element,
            matches: Matches::Class(class),
            card: CardConversion::Alone(card),
        }
    }

    /// Returns the form of elements with this name for which `matches` returns true.
    pub(super) const fn when(
        element: &'static str,
        matches: fn(Node<'_>) -> bool,
        card: fn(Node<'_>) -> Option<Value>,
    ) -> Self {
        Self {
            element,
            matches: Matches::If(matches),
            card: CardConversion::Alone(card),
        }
    }

    /// Returns the form of elements with this name for which `matches` returns true, and whose
    /// cards may include sibling elements.
    pub(super) const fn with_siblings(
        element: &'static str,
        matches: fn(Node<'_>) -> bool,
        card: fn(Node<'_>, &mut Lines) -> Option<Value>,
    ) -> Self {
        Self {
            element,
            matches: Matches::If(matches),
            card: CardConversion::WithSiblings(card),
        }
    }

    /// Returns whether `element`, whose name is `name`, has this form.
    pub(super) fn matches(&self, element: Node<'_>, name: &str) -> bool {
        self.element == name
            && match self.matches {
                Matches::All => true,
                Matches::Class(class) => element.has_class(class),
                Matches::If(matches) => matches(element),
            }
    }

    /// Returns the card of an element with this form; `None` if there is nothing to show.
    pub(super) fn card(&self, element: Node<'_>, lines: &mut Lines) -> Option<Value> {
        match self.card {
            CardConversion::Alone(card) => card(element),
            CardConversion::WithSiblings(card) => card(element, lines),
        }
    }
}

/// Returns a card that has only a type and a version.
pub(super) fn without_properties(name: &str) -> Value {
    json!({"type": name, "version": 1})
}

/// Returns the first element below `node` with a class.
pub(super) fn of_class<'t>(node: Node<'t>, class: &str) -> Option<Node<'t>> {
    node.find(|node| node.has_class(class))
}

/// Returns the text of the first element with a class; empty if there is none.
pub(super) fn text_of(node: Node<'_>, class: &str) -> String {
    of_class(node, class).map_or_else(String::new, Node::text_content)
}

/// Returns the trimmed inner HTML of the first element with a class; empty if there is none.
pub(super) fn html_of(node: Node<'_>, class: &str) -> String {
    of_class(node, class).map_or_else(String::new, inner_html)
}

/// Returns the trimmed inner HTML of an element.
pub(super) fn inner_html(node: Node<'_>) -> String {
    let mut html = String::new();
    node.push_inner_html(&mut html);
    trimmed(&html).to_owned()
}

pub(super) fn attribute_of<'t>(node: Option<Node<'t>>, name: &str) -> &'t str {
    (node.and_then(|node| node.attribute(name))).unwrap_or_default()
}

/// Returns the value of an attribute, or `default` if it is missing or empty.
pub(super) fn attribute_or<'t>(element: Option<Node<'t>>, name: &str, default: &'t str) -> &'t str {
    match attribute_of(element, name) {
        "" => default,
        value => value,
    }
}

/// Returns an absolute URL in normal form. Other URLs are returned unchanged.
pub(super) fn resolved(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), String::from)
}

/// Returns the letters, digits and underscores after `prefix` in an element's classes.
pub(super) fn class_suffix<'t>(element: Node<'t>, prefix: &str) -> Option<&'t str> {
    let classes = element.attribute("class")?;
    classes.match_indices(prefix).find_map(|(start, _)| {
        let rest = &classes[start + prefix.len()..];
        let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_';
        let suffix = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        (!suffix.is_empty()).then_some(suffix)
    })
}

/// Returns the default visibility of a card: everyone.
pub(super) fn visible_to_all() -> Value {
    json!({
        "web": {"nonMember": true, "memberSegment": "status:free,status:-free"},
        "email": {"memberSegment": "status:free,status:-free"},
    })
}
