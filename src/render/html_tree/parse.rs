//! Parsing of fragments within limits.
//!
//! The rules of HTML let a short text produce a large tree: elements nest as deep as there are
//! tags, and an unclosed formatting element is reopened with its attributes in every following
//! paragraph. A filter between html5ever's tokenizer and its tree builder therefore drops tags that
//! would exceed the depth, the weight or the budget of the tree, and comments that would exceed the
//! budget. Text always passes.

use std::cell::Cell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{QuirksMode, TokenizerResult, TreeSink, create_element};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{QualName, local_name, ns};
use memchr::{memchr, memchr3};

use super::attribute_limit::without_excess_attributes;
use super::builder::Builder;
use super::tree::{DEPTH_MAX, NodeContent, Tree, TreeNodeId};
use super::{depth_limit, serialize};
use crate::render::html_escape;
use crate::render::limits::Budget;

/// Longest fragment that is parsed, in bytes; the rest is ignored.
// With `GROWTH_MAX`, it bounds the weight of a tree below 2^32, so node numbers fit in 32 bits.
const BYTES_MAX: usize = 256 << 20;

/// Largest weight of elements per byte of HTML. Beyond it, only text passes the filter.
const GROWTH_MAX: usize = 6;

/// Weight of elements that any fragment may have, in bytes.
const GROWTH_ALLOWANCE: usize = 4096;

/// Elements whose content is always text.
const TEXT_ONLY_ELEMENTS: [&str; 9] = [
    "iframe",
    "noembed",
    "noframes",
    "plaintext",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
];

/// Parses `html` as the content of a `body` (HTML standard, "parsing HTML fragments"), with
/// scripting disabled.
pub(crate) fn parse_fragment(html: &str) -> Tree {
    parse(html, QuirksMode::NoQuirks, Budget::of_stored(html.len()))
}

/// Parses `html` as [`parse_fragment`] does, but as a document in quirks mode, in which a table
/// does not end a paragraph. Unlike in the standard, text that is not permitted in a table moves to
/// the end of the table's parent (Ghost 6.65, recorded).
///
/// Tags beyond `budget` are dropped, see [`Tree::excess`].
pub(crate) fn parse_in_quirks_mode(html: &str, budget: Budget) -> Tree {
    parse(html, QuirksMode::Quirks, budget)
}

fn parse(html: &str, quirks_mode: QuirksMode, budget: Budget) -> Tree {
    let html = without_excess_attributes(&html[..html.floor_char_boundary(BYTES_MAX)]);
    let builder = Builder::new(quirks_mode == QuirksMode::Quirks, budget);
    let body = QualName::new(None, ns!(html), local_name!("body"));
    let context = create_element(&builder, body, Vec::new());
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        quirks_mode,
        ..TreeBuilderOpts::default()
    };
    let filter = Filter {
        builder: TreeBuilder::new_for_fragment(builder, context, None, options),
        weight_max: html.len() * GROWTH_MAX + GROWTH_ALLOWANCE,
        open_withheld: Cell::new(0),
        in_raw_text: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(
        filter,
        TokenizerOpts {
            // In a fragment, a byte order mark is text.
            discard_bom: false,
            ..TokenizerOpts::default()
        },
    );
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(&html));
    // The tokenizer also returns after a script or an encoding declaration.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let builder = tokenizer.sink.builder.sink.finish();
    let excess = builder.excess();
    let mut records = builder.into_records();
    // The parser wraps everything in an `html` element.
    let root = records[Builder::DOCUMENT.index()]
        .first_child
        .expect("the parser of a fragment begins with its root");
    records[root.index()].content = NodeContent::Root;
    // Otherwise a walk to the top would leave the fragment.
    records[root.index()].parent = None;
    depth_limit::flatten(&mut records, root);
    Tree {
        records,
        root,
        excess,
    }
}

/// Appends `fragment` as it is serialised after parsing.
pub(crate) fn clean_fragment(fragment: &str, html: &mut String) {
    // Without these characters, parsing changes nothing.
    let bytes = fragment.as_bytes();
    if memchr3(b'<', b'&', b'\r', bytes).is_none() && memchr(0, bytes).is_none() {
        html_escape::push_text(html, fragment);
        return;
    }
    parse_fragment(fragment).root().push_inner_html(html);
}

/// The filter between tokenizer and tree builder.
struct Filter {
    builder: TreeBuilder<TreeNodeId, Builder>,
    /// Largest weight of elements, in bytes.
    weight_max: usize,
    /// The number of open elements, counted from the deepest permitted one, inside which tags are
    /// withheld; 0 outside of it.
    open_withheld: Cell<usize>,
    /// True if the current text ends only at an end tag.
    in_raw_text: Cell<bool>,
}

impl Filter {
    /// Returns whether the tag is passed to the tree builder.
    fn admits(&self, tag: &Tag) -> bool {
        // If this end tag were dropped, everything after it would be raw text.
        if tag.kind == TagKind::EndTag && self.in_raw_text.take() {
            return true;
        }
        if self.builder.sink.weight() > self.weight_max || self.builder.sink.excess().is_some() {
            return false;
        }
        let open = self.open_withheld.get();
        if open == 0 {
            return true;
        }
        match tag.kind {
            TagKind::StartTag if self.holds_no_elements(tag) => true,
            TagKind::StartTag => {
                self.open_withheld.set(open + 1);
                false
            }
            TagKind::EndTag => {
                self.open_withheld.set(open - 1);
                // The end tag of the deepest permitted element passes; those of withheld elements
                // do not.
                open == 1
            }
        }
    }

    /// Returns whether the element of this start tag cannot contain elements, and so cannot exceed
    /// the depth limit.
    fn holds_no_elements(&self, tag: &Tag) -> bool {
        if self.adjusted_current_node_present_but_not_in_html_namespace() {
            return tag.self_closing;
        }
        serialize::is_void(&tag.name) || TEXT_ONLY_ELEMENTS.contains(&&*tag.name)
    }
}

impl TokenSink for Filter {
    type Handle = TreeNodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<TreeNodeId> {
        if matches!(token, Token::CommentToken(_)) && self.builder.sink.excess().is_some() {
            return TokenSinkResult::Continue;
        }
        let Token::TagToken(tag) = &token else {
            return self.builder.process_token(token, line);
        };
        if !self.admits(tag) {
            return TokenSinkResult::Continue;
        }
        let opens = tag.kind == TagKind::StartTag;
        let holds_no_elements = opens && self.holds_no_elements(tag);
        let result = self.builder.process_token(token, line);
        if opens {
            self.in_raw_text
                .set(matches!(result, TokenSinkResult::RawData(_)));
            let is_deepest = self.builder.sink.last_depth() >= DEPTH_MAX;
            if is_deepest && !holds_no_elements && self.open_withheld.get() == 0 {
                self.open_withheld.set(1);
            }
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::limits::{Excess, NODES_MAX};

    fn cleaned(html: &str) -> String {
        let mut cleaned = String::new();
        clean_fragment(html, &mut cleaned);
        cleaned
    }

    fn deepest(html: &str) -> usize {
        let tree = parse_fragment(html);
        let depth = |node: crate::render::html_tree::Node<'_>| {
            std::iter::successors(node.parent(), |node| node.parent()).count()
        };
        let elements = tree.root().descendants().filter(|node| node.is_element());
        elements.map(depth).max().unwrap_or(0)
    }

    #[test]
    fn fragments_are_repaired_and_serialised() {
        for (html, expected) in [
            ("<b>unclosed <i>tags", "<b>unclosed <i>tags</i></b>"),
            (
                "<a x=1 Y='2'>&copy;&amp;</a>",
                "<a x=\"1\" y=\"2\">©&amp;</a>",
            ),
            (
                "<table><tr><td>x",
                "<table><tbody><tr><td>x</td></tr></tbody></table>",
            ),
            (
                "<table>out<tr>",
                "<table><tbody><tr></tr></tbody></table>out",
            ),
            ("in<table>out<b>x</b>", "inout<b>x</b><table></table>"),
            ("<pre>\n\nx</pre>", "<pre>\nx</pre>"),
            ("<br/><img>", "<br><img>"),
            ("<script>1<2 && x</script>", "<script>1<2 && x</script>"),
            ("<textarea><b></textarea>", "<textarea>&lt;b&gt;</textarea>"),
            ("<!-- c --><!x>", "<!-- c --><!--x-->"),
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<b><p>x</b>y", "<b></b><p><b>x</b>y</p>"),
            ("<template><p>x</template>", "<template><p>x</p></template>"),
            ("<noscript><i>x</noscript>", "<noscript><i>x</i></noscript>"),
            (
                "<svg viewbox=\"0\" xlink:href=x><path/></svg>",
                "<svg viewBox=\"0\" xlink:href=\"x\"><path></path></svg>",
            ),
            ("</body></html>x<body a=b>", "x"),
            ("a\r\nb\rc\0d", "a\nb\ncd"),
            ("\u{feff}x", "\u{feff}x"),
            ("a > b\u{a0}c", "a &gt; b&nbsp;c"),
            ("", ""),
        ] {
            assert_eq!(cleaned(html), expected, "{html}");
        }
    }

    #[test]
    fn too_deep_elements_lose_their_tags_but_not_their_text() {
        for tag in [
            "div",
            "b",
            "span",
            "svg",
            "table",
            "blockquote",
            "a",
            "ul><li",
        ] {
            let html = format!("{}text", format!("<{tag}>").repeat(2000));
            assert!(deepest(&html) <= DEPTH_MAX, "{tag}");
            assert_eq!(parse_fragment(&html).root().text_content(), "text", "{tag}");
        }
        let nested = format!("{}x{}", "<div>".repeat(300), "</div>".repeat(300));
        assert!(cleaned(&format!("{nested}<p>y</p>")).ends_with("</div><p>y</p>"));
    }

    #[test]
    fn unclosed_formatting_does_not_multiply() {
        let open: String = (0..200).map(|n| format!("<b id={n}>")).collect();
        let html = format!("{open}{}", "<p>x".repeat(20_000));
        assert!(cleaned(&html).len() < html.len() * (GROWTH_MAX + 8));
        assert_eq!(parse_fragment(&html).root().text_content().len(), 20_000);
        let wide = format!("<b title={}>{}", "y".repeat(50_000), "<p>x".repeat(10_000));
        assert!(cleaned(&wide).len() < wide.len() * (GROWTH_MAX + 8));
    }

    #[test]
    fn nodes_are_counted_while_parsing() {
        let mut some = Budget::of(0);
        some.take(NODES_MAX - 1000, 0).unwrap();
        for (html, most) in [
            ("<p>x</p>".repeat(2000), 1002),
            ("<!-- -->".repeat(2000), 1002),
            ("x<br>".repeat(2000), 1002),
            // Each of these elements reopens all elements before it.
            (
                (0..200).map(|id| format!("<table><b id={id}>")).collect(),
                1500,
            ),
        ] {
            let tree = parse_in_quirks_mode(&html, some);
            assert_eq!(tree.excess(), Some(Excess::Nodes), "{}", &html[..20]);
            assert!(tree.size() <= most, "{}: {}", &html[..20], tree.size());
            let text = tree.root().text_content();
            assert_eq!(text.len(), html.matches('x').count());
        }
        let tree = parse_in_quirks_mode(&"<p>x</p>".repeat(400), some);
        assert_eq!(tree.excess(), None);
    }

    #[test]
    fn attributes_are_limited() {
        let attributes: String = (0..1000).map(|n| format!(" a{n}=\"{n}\"")).collect();
        let tree = parse_fragment(&format!("<p{attributes}>x</p><p{attributes}>y"));
        for element in tree.root().children() {
            assert_eq!(element.attributes().count(), 256);
            assert_eq!(element.attribute("a255"), Some("255"));
        }
    }

    #[test]
    fn trees_are_traversed_in_every_direction() {
        let tree = parse_fragment("<p class='a b'>x<i>y</i><!--c--></p><p>z</p>");
        let paragraph = tree.root().first_child().unwrap();
        assert!(paragraph.is("p") && paragraph.has_class("b") && !paragraph.has_class("a b"));
        let names: Vec<_> = paragraph.children().map(|child| child.kind()).collect();
        use crate::render::html_tree::HtmlNodeKind;
        assert_eq!(
            names,
            [
                HtmlNodeKind::Text("x"),
                HtmlNodeKind::Element("i"),
                HtmlNodeKind::Comment("c")
            ]
        );
        assert_eq!(paragraph.descendants().count(), 4);
        assert_eq!(paragraph.text_content(), "xy");
        let italic = paragraph.first_element().unwrap();
        assert!(italic.parent() == Some(paragraph));
        assert_eq!(
            italic.previous_sibling().unwrap().kind(),
            HtmlNodeKind::Text("x")
        );
        assert_eq!(paragraph.next_sibling().unwrap().text_content(), "z");
        let mut html = String::new();
        italic.push_outer_html(&mut html);
        assert_eq!(html, "<i>y</i>");
    }

    /// Parts that nest and end in invalid ways.
    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => r"</?(a|b|p|div|table|tr|td|ul|li|svg|math|template|select|option|button|form|nobr)( x=y)?/?>",
            1 => r"<(script|style|textarea|title|plaintext|xmp|foreignObject|annotation-xml|br|img)>",
            1 => r"</(script|style|textarea|title|foreignObject|body|html)>|<!--|-->|<!\[CDATA\[|\]\]>",
            1 => r#"[ a-z&<>"'=/;\x00\r\n\u{a0}]{1,3}"#,
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn plain_text_equals_parsed_text(text in "[ a-z>\u{a0}\u{feff}\u{1}é港\n\"']{0,20}") {
            let mut parsed = String::new();
            parse_fragment(&text).root().push_inner_html(&mut parsed);
            prop_assert_eq!(cleaned(&text), parsed);
        }

        #[test]
        fn trees_are_consistent(html in markup(), times in 1..40_usize) {
            let html = html.repeat(times);
            let tree = parse_fragment(&html);
            let mut depths = Vec::new();
            for node in tree.root().descendants() {
                let depth = std::iter::successors(node.parent(), |node| node.parent()).count();
                depths.push(depth);
                for child in node.children() {
                    prop_assert!(child.parent() == Some(node));
                }
                prop_assert!(node.last_child() == node.children().last());
                if let Some(next) = node.next_sibling() {
                    prop_assert!(next.previous_sibling() == Some(node));
                }
            }
            prop_assert!(depths.iter().all(|depth| *depth <= DEPTH_MAX + 1));
        }
    }
}
