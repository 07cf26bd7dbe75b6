//! What an anonymous reader may see of a post.
//!
//! Two marks in the stored HTML divide it: the paywall comment, behind which a closed post is for
//! its members, and the comments around a gated block, which say who may see the block. Both are
//! written by the renderer or by hand in Markdown. Where markup is malformed this module hides too
//! much rather than too little.

use std::borrow::Cow;

use memchr::memmem;

/// The comment behind which a closed post is only for those who may read it.
pub const PAYWALL: &str = "<!--members-only-->";

const GATE: &str = "<!--kg-gated-block:";
const FOR_ANONYMOUS: &str = "begin nonMember:true";

/// The public form of a post's HTML.
#[derive(Debug, PartialEq, Eq)]
pub enum PublicForm<'a> {
    /// Everything may be seen: what is derived from the stored HTML holds.
    Whole,
    /// Only this may be seen. Plain text and excerpt must be made anew from it; a custom excerpt
    /// stays.
    Part(Cow<'a, str>),
    /// Nothing may be seen: a closed post without a paywall. HTML, plain text and excerpt, even a
    /// custom one, are empty strings.
    Nothing,
}

/// Returns what an anonymous reader may see of `html`, where `closed` says that the post as a whole
/// is not public. (Ghost 6.65, recorded; where a closed post begins with the paywall Ghost shows
/// its plain text, this does not.)
pub fn public_form(html: &str, closed: bool) -> PublicForm<'_> {
    let preview = match (closed, memmem::find(html.as_bytes(), PAYWALL.as_bytes())) {
        (false, _) => html,
        (true, Some(paywall)) => &html[..paywall],
        (true, None) => return PublicForm::Nothing,
    };
    match without_gates(preview) {
        Some(ungated) => PublicForm::Part(Cow::Owned(ungated)),
        None if preview.len() < html.len() => PublicForm::Part(Cow::Borrowed(preview)),
        None => PublicForm::Whole,
    }
}

/// Removes the comments around gated blocks, and the blocks that are not for anonymous readers;
/// `None` when there are none. A block inside a hidden one is hidden, and one that does not end
/// hides all behind it.
fn without_gates(html: &str) -> Option<String> {
    let mut visible = String::new();
    let mut copied = 0;
    let mut gates = Gates::default();
    for start in memmem::find_iter(html.as_bytes(), GATE) {
        let inside_comment = start < copied;
        if inside_comment {
            continue;
        }
        if !gates.hide() {
            visible.push_str(&html[copied..start]);
        }
        gates.pass(&html[start + GATE.len()..]);
        copied = comment_end(html, start);
    }
    if !gates.hide() {
        visible.push_str(&html[copied..]);
    }
    (copied > 0).then_some(visible)
}

/// The gated blocks that are open.
#[derive(Default)]
struct Gates {
    depth: usize,
    /// The depth of the outermost block that is not for anonymous readers.
    hidden_at: Option<usize>,
}

impl Gates {
    fn hide(&self) -> bool {
        self.hidden_at.is_some()
    }

    /// Goes past a gate, given from behind its colon.
    fn pass(&mut self, gate: &str) {
        if gate.starts_with("begin") {
            self.depth += 1;
            if !self.hide() && !gate.starts_with(FOR_ANONYMOUS) {
                self.hidden_at = Some(self.depth);
            }
        } else if gate.starts_with("end") {
            if self.hidden_at == Some(self.depth) {
                self.hidden_at = None;
            }
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

fn comment_end(html: &str, start: usize) -> usize {
    memmem::find(&html.as_bytes()[start..], b"-->")
        .map_or(html.len(), |end| start + end + "-->".len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN_HIDDEN: &str =
        "<!--kg-gated-block:begin nonMember:false memberSegment:\"status:-free\" -->";
    const BEGIN_SHOWN: &str = "<!--kg-gated-block:begin nonMember:true memberSegment:\"\" -->";
    const END: &str = "<!--kg-gated-block:end-->";

    fn part(html: &str) -> PublicForm<'_> {
        PublicForm::Part(Cow::Borrowed(html))
    }

    #[test]
    fn an_open_post_without_gates_is_whole_even_with_a_paywall() {
        assert_eq!(
            public_form("<p>a</p><!--members-only--><p>b</p>", false),
            PublicForm::Whole
        );
    }

    #[test]
    fn a_closed_post_ends_at_its_first_paywall() {
        let html = "<p>a</p><!--members-only--><p>b</p><!--members-only--><p>c</p>";
        assert_eq!(public_form(html, true), part("<p>a</p>"));
    }

    #[test]
    fn a_closed_post_that_begins_with_the_paywall_shows_an_empty_part() {
        assert_eq!(public_form("<!--members-only--><p>b</p>", true), part(""));
    }

    #[test]
    fn a_closed_post_without_a_paywall_shows_nothing() {
        assert_eq!(public_form("<p>a</p>", true), PublicForm::Nothing);
        assert_eq!(public_form("", true), PublicForm::Nothing);
    }

    #[test]
    fn a_block_inside_a_hidden_one_stays_hidden() {
        let html = format!("a{BEGIN_HIDDEN}b{BEGIN_SHOWN}c{END}d{END}e");
        assert_eq!(public_form(&html, false), part("ae"));
    }

    #[test]
    fn a_hidden_block_inside_a_visible_one_is_dropped_alone() {
        let html = format!("a{BEGIN_SHOWN}b{BEGIN_HIDDEN}c{END}d{END}e");
        assert_eq!(public_form(&html, false), part("abde"));
    }

    #[test]
    fn what_a_malformed_gate_may_hide_is_hidden() {
        for gate in [
            BEGIN_HIDDEN,
            "<!--kg-gated-block:begin-->",
            "<!--kg-gated-block:begin nonMember:",
        ] {
            assert_eq!(
                public_form(&format!("a{gate}secret"), false),
                part("a"),
                "{gate}"
            );
        }
        let paywall_inside = format!("a{BEGIN_HIDDEN}secret<!--members-only-->b{END}");
        assert_eq!(public_form(&paywall_inside, true), part("a"));
    }

    #[test]
    fn a_stray_end_hides_nothing() {
        assert_eq!(
            public_form(&format!("a{END}b{BEGIN_HIDDEN}c{END}d"), false),
            part("abd")
        );
    }
}
