//! Text formats, derived from the enclosing elements.
//!
//! Each formatting element has an effect on the texts in it. It replaces the effect of an outer
//! element with the same name (Ghost 6.65, recorded). So a `span` in a `span` discards the effect
//! of the outer one, except for the formats that it takes from its parent's style.

use crate::render::html_tree::Node;

use super::style::Style;

const BOLD: u32 = 1;
const ITALIC: u32 = 2;
const STRIKETHROUGH: u32 = 4;
const UNDERLINE: u32 = 8;
const CODE: u32 = 16;
const SUBSCRIPT: u32 = 32;
const SUPERSCRIPT: u32 = 64;
const HIGHLIGHT: u32 = 128;

/// The formatting elements, each with its bit. `b` and `span` have their own rules.
const ELEMENTS: [(&str, u32); 8] = [
    ("code", CODE),
    ("em", ITALIC),
    ("i", ITALIC),
    ("s", STRIKETHROUGH),
    ("strong", BOLD),
    ("sub", SUBSCRIPT),
    ("sup", SUPERSCRIPT),
    ("u", UNDERLINE),
];

/// The effects of the elements around a text, from the outermost on.
#[derive(Clone, Default)]
pub(super) struct Formats(Vec<(&'static str, Effect)>);

/// The bits that an element toggles, and those that it sets afterwards.
#[derive(Clone, Copy, Default)]
struct Effect {
    toggles: u32,
    sets: u32,
}

impl Formats {
    /// Returns the formats inside `element`; `None` if they are the same as outside.
    pub(super) fn inside(&self, element: Node<'_>) -> Option<Self> {
        let (name, effect) = effect(element)?;
        let mut inside = self.clone();
        match inside.0.iter_mut().find(|(outer, _)| *outer == name) {
            Some((_, outer)) => *outer = effect,
            None => inside.0.push((name, effect)),
        }
        Some(inside)
    }

    /// Returns the format bits of a text.
    pub(super) fn bits(&self) -> u32 {
        self.0.iter().fold(0, |bits, (_, effect)| effect.on(bits))
    }
}

impl Effect {
    fn on(self, bits: u32) -> u32 {
        let toggled = each_bit(self.toggles).fold(bits, toggled);
        let missing = self.sets & !toggled;
        each_bit(missing).fold(toggled, toggled_if_missing)
    }
}

fn each_bit(bits: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS)
        .map(|position| 1 << position)
        .filter(move |bit| bits & bit != 0)
}

/// Toggles a bit. Subscript and superscript exclude each other.
fn toggled(bits: u32, bit: u32) -> u32 {
    let excluded = match bit {
        SUBSCRIPT => SUPERSCRIPT,
        SUPERSCRIPT => SUBSCRIPT,
        _ => 0,
    };
    (bits ^ bit) & !excluded
}

fn toggled_if_missing(bits: u32, bit: u32) -> u32 {
    if bits & bit == 0 {
        toggled(bits, bit)
    } else {
        bits
    }
}

fn effect(element: Node<'_>) -> Option<(&'static str, Effect)> {
    if element.is("b") {
        let is_normal = Style::of(element).has_weight("normal");
        // Unlike `strong`, a `b` toggles the format: inside `strong`, its text is not bold
        // (recorded: `inline/same-nested`).
        let toggles = if is_normal { 0 } else { BOLD };
        return Some(("b", Effect { toggles, sets: 0 }));
    }
    if element.is("span") {
        return Some(("span", span_effect(element)));
    }
    let (name, bit) = ELEMENTS.iter().find(|(name, _)| element.is(name))?;
    let effect = Effect {
        toggles: 0,
        sets: *bit,
    };
    Some((name, effect))
}

/// Returns the effect of a `span`. Word processors write all formats as styles, some of them on the
/// parent.
fn span_effect(span: Node<'_>) -> Effect {
    let own = Style::of(span);
    let toggles = [
        (own.has_weight("700"), BOLD),
        (own.is_struck_through(), STRIKETHROUGH),
        (own.is_italic(), ITALIC),
        (own.is_underlined(), UNDERLINE),
        (own.is_lowered(), SUBSCRIPT),
        (own.is_raised(), SUPERSCRIPT),
    ];
    let parent = span.parent().filter(|parent| parent.is_element());
    let here = || std::iter::once(span).chain(parent);
    let styles = || here().map(Style::of);
    let has_class = |class| here().any(|node| node.has_class(class));
    let sets = [
        (styles().any(|style| style.has_weight("bold")), BOLD),
        (styles().any(Style::is_italic), ITALIC),
        (styles().any(Style::is_underlined), UNDERLINE),
        (has_class("Strikethrough"), STRIKETHROUGH),
        (has_class("Highlight"), HIGHLIGHT),
    ];
    Effect {
        toggles: sum(&toggles),
        sets: sum(&sets),
    }
}

fn sum(bits: &[(bool, u32)]) -> u32 {
    bits.iter()
        .filter(|(applies, _)| *applies)
        .fold(0, |sum, (_, bit)| sum | bit)
}
