//! The inline content of a block as tokens (Ghost 6.65, recorded).
//!
//! The text is parsed from left to right; the syntax that begins first is used. Delimiters, such as those of emphasis,
//! are paired at the end, separately in each link. To find the end of a link, its text is scanned ahead without adding
//! tokens (`is_ahead`). Each position is scanned ahead only once.

mod delimiters;
mod links;
mod spans;
mod writer;

use std::collections::HashMap;
use std::ops::Range;

use self::delimiters::Delimiter;
pub(super) use self::writer::Inline;
use super::bare_links;
use super::blocks::Definitions;
use super::footnotes::Footnotes;
use super::lines::is_blank;

/// Deepest nesting of links and images whose ends are searched for. Deeper delimiters belong to no link.
const AHEAD_DEPTH_MAX: usize = 100;

/// Deepest nesting of footnotes and images. Deeper ones are text.
const DEPTH_MAX: usize = 8;

/// Longest scheme of a bare URL, in characters.
const SCHEME_CHARS_MAX: usize = 10;

/// A token of inline content.
#[derive(Debug)]
enum Token {
    /// A part of the text. It may contain bare URLs.
    Text(Range<usize>),
    /// An escaped character. No bare URL begins after it.
    Literal(String),
    /// Text of an element that contains no other element.
    Content(String),
    Code(String),
    Html(Range<usize>),
    LineBreak,
    /// The link to a footnote, as HTML.
    Footnote(String),
    Image {
        url: String,
        title: String,
        /// The alternative text.
        text: String,
        /// The range of the alternative text in the source.
        written: Range<usize>,
    },
    OpenLink {
        url: String,
        title: String,
    },
    CloseLink,
    Open(&'static str),
    Close(&'static str),
}

/// The definitions to which inline content refers.
pub(super) struct InlineContext<'a> {
    pub(super) definitions: Definitions<'a>,
    pub(super) footnotes: Footnotes<'a>,
}

/// Renders the inline content of a block.
pub(super) fn render(text: &str, context: &mut InlineContext<'_>) -> Inline {
    render_nested(text, context, 0)
}

/// Renders inline content, nested in `depth` footnotes and images.
fn render_nested(text: &str, context: &mut InlineContext<'_>, depth: usize) -> Inline {
    let tokens = parse(text, context, depth);
    writer::write(text, tokens)
}

fn parse(text: &str, context: &mut InlineContext<'_>, depth: usize) -> Vec<Token> {
    let mut parser = InlineParser {
        text,
        context,
        depth,
        position: 0,
        end: text.len(),
        tokens: Vec::new(),
        pending: 0..0,
        delimiters: vec![Vec::new()],
        open_delimiters: vec![0],
        links: 0,
        ahead_depth: 0,
        skipped: HashMap::new(),
        code_ends: spans::CodeEnds::default(),
        missing_html_ends: Vec::new(),
    };
    parser.read_to_end();
    delimiters::paired(text, parser.tokens, parser.delimiters)
}

/// Parses the inline content of a block.
struct InlineParser<'t, 'c, 'a> {
    text: &'t str,
    context: &'c mut InlineContext<'a>,
    /// The number of footnotes and images around the text.
    depth: usize,
    position: usize,
    /// The end of the content that is being parsed.
    end: usize,
    tokens: Vec<Token>,
    /// The range of text before `position` that is not yet a token.
    pending: Range<usize>,
    /// The delimiters of the block and of each link in it.
    delimiters: Vec<Vec<Delimiter>>,
    /// The indices in `delimiters` of the open lists, from the outermost on.
    open_delimiters: Vec<usize>,
    /// The number of open links, including those in raw HTML.
    links: isize,
    /// The nesting depth of the text that is scanned ahead.
    ahead_depth: usize,
    /// The ends of the constructs that were scanned ahead, by their starts.
    skipped: HashMap<usize, usize>,
    code_ends: spans::CodeEnds,
    /// The end marks of comments and the like that the rest of the text is known to lack.
    missing_html_ends: Vec<&'static str>,
}

impl InlineParser<'_, '_, '_> {
    fn read_to_end(&mut self) {
        let end = self.end;
        while self.position < end {
            if !self.read(false) {
                let next = self.next_char_end();
                self.add_pending(self.position..next);
                self.position = next;
            }
        }
        self.end_text();
    }

    /// Moves past the construct that begins at the position.
    fn skip(&mut self) {
        let start = self.position;
        if let Some(end) = self.skipped.get(&start) {
            self.position = *end;
            return;
        }
        // The brackets around then have no end, so they are text.
        if self.ahead_depth >= AHEAD_DEPTH_MAX {
            self.position = self.end;
        } else {
            self.ahead_depth += 1;
            if !self.read(true) {
                self.position = self.next_char_end();
            }
            self.ahead_depth -= 1;
        }
        self.skipped.insert(start, self.position);
    }

    /// Parses the syntax that begins at the position, and moves past it. If `is_ahead`, no token is added. Returns
    /// whether any syntax begins there.
    fn read(&mut self, is_ahead: bool) -> bool {
        let Some(first) = self.text.as_bytes().get(self.position) else {
            return false;
        };
        match first {
            b'\n' => self.line_break(is_ahead),
            b':' => self.bare_link(is_ahead),
            b'\\' => self.escape(is_ahead),
            b'`' => self.code(is_ahead),
            // Two tildes are tried first: one begins a subscript only where no pair does.
            b'~' => !is_ahead && (self.pairs(b'~') || self.script(b'~', "sub")),
            b'=' => !is_ahead && self.pairs(b'='),
            b'*' | b'_' => !is_ahead && self.emphasis(*first),
            b'^' => !is_ahead && self.script(b'^', "sup") || self.inline_footnote(is_ahead),
            b'[' => self.link(is_ahead) || self.footnote_reference(is_ahead),
            b'!' => self.image(is_ahead),
            b'<' => self.autolink(is_ahead) || self.html(is_ahead),
            b'&' => self.entity(is_ahead),
            _ => self.plain_text(is_ahead),
        }
    }

    fn plain_text(&mut self, is_ahead: bool) -> bool {
        let rest = &self.text.as_bytes()[self.position..self.end];
        let length = rest
            .iter()
            .position(|byte| b"\n:\\`~=*_^[]!<&".contains(byte));
        let end = length.map_or(self.end, |length| self.position + length);
        // The position is at a bracket that closes nothing.
        if end == self.position {
            return false;
        }
        if !is_ahead {
            self.add_pending(self.position..end);
        }
        self.position = end;
        true
    }

    fn next_char_end(&self) -> usize {
        self.text.ceil_char_boundary(self.position + 1)
    }

    fn add_pending(&mut self, range: Range<usize>) {
        if self.pending.is_empty() {
            self.pending = range;
        } else {
            self.pending.end = range.end;
        }
    }

    /// Adds the pending text as a token.
    fn end_text(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            self.tokens.push(Token::Text(pending));
        }
    }

    fn push(&mut self, token: Token) {
        self.end_text();
        self.tokens.push(token);
    }

    /// Begins an element. Delimiters in it do not pair with delimiters outside of it.
    fn open(&mut self, token: Token) {
        self.push(token);
        self.open_delimiters.push(self.delimiters.len());
        // A list per element: emphasis never begins in a link and ends outside of it.
        self.delimiters.push(Vec::new());
    }

    fn close(&mut self, token: Token) {
        self.push(token);
        self.open_delimiters.pop();
    }

    fn line_break(&mut self, is_ahead: bool) -> bool {
        if !is_ahead {
            let pending = &self.text[self.pending.clone()];
            self.pending.end = self.pending.start + pending.trim_end_matches(' ').len();
            self.push(Token::LineBreak);
        }
        self.position += 1;
        self.skip_blanks();
        true
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.position..self.end];
        self.position += rest.iter().take_while(|byte| is_blank(**byte)).count();
    }

    /// Parses a bare URL whose scheme is in the pending text.
    fn bare_link(&mut self, is_ahead: bool) -> bool {
        let colon = self.position;
        if self.links > 0 || !self.text[colon + 1..].starts_with("//") {
            return false;
        }
        let pending = self.text[self.pending.clone()].encode_utf16();
        let scheme_max = pending.take(SCHEME_CHARS_MAX).count();
        let scheme_min = colon.saturating_sub(scheme_max);
        let scheme_min = self.text.ceil_char_boundary(scheme_min);
        let Some(link) = bare_links::find_at_colon(self.text, scheme_min, colon) else {
            return false;
        };
        self.position = link.range.end;
        if !is_ahead {
            self.pending.end = link.range.start;
            self.open(Token::OpenLink {
                url: link.destination,
                title: String::new(),
            });
            self.push(Token::Content(link.text));
            self.close(Token::CloseLink);
        }
        true
    }
}
