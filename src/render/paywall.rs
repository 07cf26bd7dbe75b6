//! Access to the content of a post: for anonymous readers and for members.
//!
//! Two kinds of comments in the stored HTML divide it. The part of a gated post after the paywall
//! comment is for its members. The comments around a gated block name the audience of the block.
//! Both are written by the renderer, or by hand in Markdown. Where HTML is malformed, this module
//! hides too much rather than too little.

use std::borrow::Cow;

use memchr::memmem;

/// The comment after which a gated post is only for readers with access.
pub const PAYWALL: &str = "<!--members-only-->";

const GATE: &str = "<!--kg-gated-block:";
const FOR_ANONYMOUS: &str = "begin nonMember:true";

/// The text before the segment of members in a gate.
const FOR_MEMBERS: &str = "memberSegment:\"";

/// The access level of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    /// A free member.
    Free,
    /// A member with a paid or complimentary tier.
    Paying,
}

impl Reader {
    /// Returns the filter that matches such members, as written in gates and by clients.
    pub fn filter(self) -> &'static str {
        match self {
            Self::Free => "status:free",
            Self::Paying => "status:-free",
        }
    }

    /// Returns the kind of members that a filter matches; `None` for other filters.
    pub fn from_filter(filter: &str) -> Option<Self> {
        [Self::Free, Self::Paying]
            .into_iter()
            .find(|reader| reader.filter() == filter)
    }

    /// Returns whether a gate, given as the text after its colon, admits such members.
    fn passes(self, gate: &str) -> bool {
        let named = gate.split_once(FOR_MEMBERS);
        let named = named.and_then(|(_, rest)| rest.split_once('"'));
        named.is_some_and(|(members, _)| {
            members
                .split(',')
                .any(|member| member.trim() == self.filter())
        })
    }
}

/// The public part of a post's HTML.
#[derive(Debug, PartialEq, Eq)]
pub enum PublicForm<'a> {
    /// All of it is public, so values derived from the stored HTML are valid.
    Whole,
    /// Only this part is public. Plain text and excerpt must be derived from it. A custom excerpt
    /// remains.
    Part(Cow<'a, str>),
    /// Nothing is public, since the post is gated and has no paywall. HTML, plain text and excerpt
    /// are empty, even a custom excerpt.
    Nothing,
}

/// Returns the public part of `html`. `gated` is whether the post as a whole is gated.
///
/// The rules are those of Ghost 6.65 (recorded), with one exception: if a gated post begins with
/// the paywall, Ghost shows its plain text.
pub fn public_form(html: &str, gated: bool) -> PublicForm<'_> {
    let preview = match gated.then(|| memmem::find(html.as_bytes(), PAYWALL.as_bytes())) {
        None => html,
        Some(Some(paywall)) => &html[..paywall],
        Some(None) => return PublicForm::Nothing,
    };
    let for_anonymous = |gate: &str| gate.starts_with(FOR_ANONYMOUS);
    match without_gates(preview, for_anonymous) {
        Some(ungated) => PublicForm::Part(Cow::Owned(ungated)),
        // Without gates, nothing is copied: this function runs for each post of a list.
        None if preview.len() < html.len() => PublicForm::Part(Cow::Borrowed(preview)),
        None => PublicForm::Whole,
    }
}

/// Returns the part of `html` that a member may read, and whether there is more. `is_paid` is
/// whether the post as a whole is for paying members. If such a post has no paywall, all of it is
/// hidden.
pub fn member_form(html: &str, reader: Reader, is_paid: bool) -> (Cow<'_, str>, bool) {
    let is_cut = is_paid && reader == Reader::Free;
    (visible_to(html, reader, is_cut), is_cut)
}

/// Returns the part of `html` that a member may read. If `is_cut`, the member may only read the
/// part before the paywall.
pub fn visible_to(html: &str, reader: Reader, is_cut: bool) -> Cow<'_, str> {
    let preview = match (is_cut, memmem::find(html.as_bytes(), PAYWALL.as_bytes())) {
        (false, _) => html,
        (true, Some(paywall)) => &html[..paywall],
        (true, None) => "",
    };
    let visible = without_gates(preview, |gate| reader.passes(gate));
    visible.map_or(Cow::Borrowed(preview), Cow::Owned)
}

/// Removes the comments around gated blocks, and the blocks whose gates do not satisfy `passes`;
/// `None` if there are no gates. A block inside a hidden block is hidden, and an unclosed hidden
/// block extends to the end.
fn without_gates(html: &str, passes: impl Fn(&str) -> bool) -> Option<String> {
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
        // After the text before the gate has been written, which the state before it decides.
        gates.pass(&html[start + GATE.len()..], &passes);
        copied = comment_end(html, start);
    }
    if !gates.hide() {
        visible.push_str(&html[copied..]);
    }
    (copied > 0).then_some(visible)
}

/// The open gated blocks.
#[derive(Default)]
struct Gates {
    depth: usize,
    /// The depth of the outermost hidden block.
    hidden_at: Option<usize>,
}

impl Gates {
    fn hide(&self) -> bool {
        self.hidden_at.is_some()
    }

    /// Processes a gate, given as the text after its colon.
    fn pass(&mut self, gate: &str, passes: impl Fn(&str) -> bool) {
        if gate.starts_with("begin") {
            self.depth += 1;
            if !self.hide() && !passes(gate) {
                self.hidden_at = Some(self.depth);
            }
        } else if gate.starts_with("end") {
            // Only the end of the outermost hidden block ends the hiding; ends of blocks inside it
            // do not.
            if self.hidden_at == Some(self.depth) {
                self.hidden_at = None;
            }
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

fn comment_end(html: &str, start: usize) -> usize {
    memmem::find(&html.as_bytes()[start..], b"-->")
        // An unclosed comment hides the rest, as in browsers.
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
    fn public_post_without_gates_is_whole_even_with_a_paywall() {
        assert_eq!(
            public_form("<p>a</p><!--members-only--><p>b</p>", false),
            PublicForm::Whole
        );
    }

    #[test]
    fn gated_post_ends_at_its_first_paywall() {
        let html = "<p>a</p><!--members-only--><p>b</p><!--members-only--><p>c</p>";
        assert_eq!(public_form(html, true), part("<p>a</p>"));
    }

    #[test]
    fn gated_post_that_begins_with_the_paywall_shows_an_empty_part() {
        assert_eq!(public_form("<!--members-only--><p>b</p>", true), part(""));
    }

    #[test]
    fn gated_post_without_a_paywall_shows_nothing() {
        assert_eq!(public_form("<p>a</p>", true), PublicForm::Nothing);
        assert_eq!(public_form("", true), PublicForm::Nothing);
    }

    #[test]
    fn members_see_their_blocks_and_only_paying_members_see_the_rest() {
        let gate = |members: &str| {
            format!("<!--kg-gated-block:begin nonMember:false memberSegment:\"{members}\" -->")
        };
        let free = gate("status:free");
        let everyone = gate("status:free,status:-free");
        let html = format!("a{free}b{END}{everyone}c{END}{BEGIN_HIDDEN}d{END}{PAYWALL}e");
        let form = |reader, is_paid| {
            let (form, is_cut) = member_form(&html, reader, is_paid);
            (form.into_owned(), is_cut)
        };
        assert_eq!(form(Reader::Free, true), ("abc".to_owned(), true));
        let whole = (format!("acd{PAYWALL}e"), false);
        assert_eq!(form(Reader::Paying, true), whole);
        assert_eq!(form(Reader::Free, false).0, format!("abc{PAYWALL}e"));
        assert_eq!(member_form("all", Reader::Free, true), ("".into(), true));
        assert_eq!(
            member_form("all", Reader::Paying, true),
            ("all".into(), false)
        );
    }

    #[test]
    fn block_inside_a_hidden_one_is_hidden() {
        let html = format!("a{BEGIN_HIDDEN}b{BEGIN_SHOWN}c{END}d{END}e");
        assert_eq!(public_form(&html, false), part("ae"));
    }

    #[test]
    fn hidden_block_inside_a_visible_one_is_removed_alone() {
        let html = format!("a{BEGIN_SHOWN}b{BEGIN_HIDDEN}c{END}d{END}e");
        assert_eq!(public_form(&html, false), part("abde"));
    }

    #[test]
    fn content_after_a_malformed_gate_is_hidden() {
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
    fn stray_end_hides_nothing() {
        assert_eq!(
            public_form(&format!("a{END}b{BEGIN_HIDDEN}c{END}d"), false),
            part("abd")
        );
    }
}
