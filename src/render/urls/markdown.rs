//! URLs of the site in Markdown cards.
//!
//! Links and images, bare URLs, and raw HTML are rewritten, but not reference definitions (Ghost
//! 6.65, recorded). Everything else is unchanged.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use url::Url;

use super::{Scheme, html_to_stored, placeholder::PLACEHOLDER, stored_url};

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES);

/// Returns the stored form of a card's Markdown; borrowed if it contains no URL of the site.
pub(super) fn to_stored<'a>(markdown: &'a str, site: &Url) -> Cow<'a, str> {
    let mut rewriting = UrlRewriter {
        markdown,
        site,
        edits: Vec::new(),
        links: Vec::new(),
        in_code: false,
        run: None,
    };
    for (event, range) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
        rewriting.add(&event, range);
    }
    rewriting.end_run();
    rewriting.result()
}

struct UrlRewriter<'a, 's> {
    markdown: &'a str,
    site: &'s Url,
    /// Replacements of ranges of the source.
    edits: Vec<(Range<usize>, String)>,
    /// The open links and images, from the outermost on.
    links: Vec<OpenLink>,
    in_code: bool,
    /// The adjacent events that the parser returned last. The parser splits text at every possible
    /// delimiter, and HTML blocks at line ends.
    run: Option<(Run, Range<usize>)>,
}

struct OpenLink {
    /// The URL as parsed; `None` if it is not part of the link itself.
    url: Option<String>,
    /// The end of the link's text.
    text_end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Text,
    Html,
}

impl<'a> UrlRewriter<'a, '_> {
    fn add(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Text(_) if self.in_code => {}
            Event::Text(_) => self.extend_run(Run::Text, range.clone()),
            Event::Html(_) => self.extend_run(Run::Html, range.clone()),
            _ => self.end_run(),
        }
        match event {
            Event::InlineHtml(_) => self.store_html(range.clone()),
            Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Start(
                Tag::Link {
                    link_type,
                    dest_url,
                    ..
                }
                | Tag::Image {
                    link_type,
                    dest_url,
                    ..
                },
            ) => {
                if *link_type == LinkType::Autolink {
                    self.store_url(range.start + 1..range.end - 1, dest_url);
                }
                // The destination of a reference link is in its definition, which stays unchanged.
                let is_inline = *link_type == LinkType::Inline;
                self.links.push(OpenLink {
                    url: is_inline.then(|| dest_url.to_string()),
                    text_end: range.start,
                });
                return;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.end_link(range.clone()),
            _ => {}
        }
        if let Some(link) = self.links.last_mut() {
            link.text_end = link.text_end.max(range.end);
        }
    }

    fn extend_run(&mut self, kind: Run, range: Range<usize>) {
        match &mut self.run {
            Some((open, run)) if *open == kind && run.end == range.start => run.end = range.end,
            _ => {
                self.end_run();
                self.run = Some((kind, range));
            }
        }
    }

    fn end_run(&mut self) {
        match self.run.take() {
            Some((Run::Html, range)) => self.store_html(range),
            // Inside a link, a URL is mere text.
            Some((Run::Text, range)) if self.links.is_empty() => self.store_bare(range),
            _ => {}
        }
    }

    fn store_html(&mut self, range: Range<usize>) {
        if let Cow::Owned(html) = html_to_stored(&self.markdown[range.clone()], self.site) {
            self.edits.push((range, html));
        }
    }

    /// Rewrites the URLs with a scheme in a text, as recognised by GitHub's Markdown.
    fn store_bare(&mut self, range: Range<usize>) {
        let text = &self.markdown[range.clone()];
        let mut position = 0;
        // A stored URL is skipped as a whole. The parser may read its placeholder as emphasis,
        // which ends the text before the URL.
        if self.markdown[..range.start].ends_with(PLACEHOLDER) {
            position = bare_url(text).len();
        }
        while let Some(found) = text[position..].find("http") {
            let start = position + found;
            if let Some(stored) = text[position..start].find(PLACEHOLDER) {
                let stored = position + stored;
                position = stored + bare_url(&text[stored..]).len().max(PLACEHOLDER.len());
                continue;
            }
            let url = bare_url(&text[start..]);
            position = start + url.len().max("http".len());
            if url.starts_with("http://") || url.starts_with("https://") {
                let range = range.start + start..range.start + start + url.len();
                self.store_url(range, url);
            }
        }
    }

    /// Rewrites the URL of a link whose text has been read.
    fn end_link(&mut self, range: Range<usize>) {
        let Some(link) = self.links.pop() else {
            return;
        };
        let Some(url) = link.url else {
            return;
        };
        // If the text is empty, its end is the start of the link, before the brackets.
        let after_text = &self.markdown[link.text_end..range.end];
        let Some(opening) = after_text.find("](") else {
            return;
        };
        let blanks = [' ', '\t', '\n', '\r'];
        let start = link.text_end + opening + "](".len();
        let written = &self.markdown[start..range.end];
        let start = start + written.len() - written.trim_start_matches(blanks).len();
        // A URL with spaces is in angle brackets.
        let start = start + usize::from(self.markdown[start..].starts_with('<'));
        let range = start..start + url.len();
        // URLs with escapes or entities are unchanged.
        if self.markdown.get(range.clone()) == Some(url.as_str()) {
            self.store_url(range, &url);
        }
    }

    fn store_url(&mut self, range: Range<usize>, url: &str) {
        let stored = stored_url(url, self.site, Scheme::Any);
        // Unpaired parentheses would end the link too early.
        if let Some(stored) = stored.filter(|stored| has_paired_parentheses(stored)) {
            self.edits.push((range, stored));
        }
    }

    /// Returns the edited Markdown.
    fn result(mut self) -> Cow<'a, str> {
        if self.edits.is_empty() {
            return Cow::Borrowed(self.markdown);
        }
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut result = String::with_capacity(self.markdown.len());
        let mut copied = 0;
        for (range, replacement) in &self.edits {
            if range.start >= copied {
                result.push_str(&self.markdown[copied..range.start]);
                result.push_str(replacement);
                copied = range.end;
            }
        }
        result.push_str(&self.markdown[copied..]);
        Cow::Owned(result)
    }
}

/// Returns the URL at the start of a text, up to white space or a tag, without trailing punctuation
/// (GitHub Flavored Markdown, "extended autolink path validation").
fn bare_url(text: &str) -> &str {
    let is_end = |character: char| character.is_whitespace() || character == '<';
    let mut url = &text[..text.find(is_end).unwrap_or(text.len())];
    let count = |parenthesis: char| url.matches(parenthesis).count();
    let mut unpaired = count(')').saturating_sub(count('('));
    while let Some(last) = url.chars().next_back() {
        match last {
            '?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' | '"' => {}
            ')' if unpaired > 0 => unpaired -= 1,
            _ => break,
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

fn has_paired_parentheses(url: &str) -> bool {
    let mut open = 0_usize;
    for byte in url.bytes() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return false,
            b')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(markdown: &str) -> String {
        let site = Url::parse("https://site.example/blog/").unwrap();
        to_stored(markdown, &site).replace(super::super::PLACEHOLDER, "@")
    }

    #[test]
    fn links_and_images_are_rewritten_in_every_position() {
        for (written, expected) in [
            (
                "[a](/x) and [b](https://site.example/blog/y \"t\")",
                "[a](@/x) and [b](@/y \"t\")",
            ),
            ("[![a](/i.png)](/l)", "[![a](@/i.png)](@/l)"),
            ("[](/x) ![](/y)", "[](@/x) ![](@/y)"),
            ("[/x `](/x`](/x \"/x\")", "[/x `](/x`](@/x \"/x\")"),
            ("[a](</x y>) [b](</x>)", "[a](<@/x%20y>) [b](<@/x>)"),
            (
                "> [a]( /x\n> )\n\n- # [b](/x(y))",
                "> [a]( @/x\n> )\n\n- # [b](@/x(y))",
            ),
            ("| a |\n|---|\n| [a](/x) |", "| a |\n|---|\n| [a](@/x) |"),
            (
                "[^1]\n\n[^1]: **[a](/x)**\n",
                "[^1]\n\n[^1]: **[a](@/x)**\n",
            ),
            ("<https://site.example/blog/x>", "<@/x>"),
        ] {
            assert_eq!(stored(written), expected);
        }
    }

    #[test]
    fn bare_urls_are_rewritten() {
        for (written, expected) in [
            (
                "see https://site.example/blog/x_y_z, and",
                "see @/x_y_z, and",
            ),
            ("(https://site.example/blog/x)", "(@/x)"),
            ("https://site.example/blog/x(y).", "@/x(y)."),
            ("**https://site.example/blog/x**", "**@/x**"),
            (
                "[t https://site.example/blog/x](/y)",
                "[t https://site.example/blog/x](@/y)",
            ),
            (
                "https://other.example/ http httpshttps://site.example/blog/x",
                "https://other.example/ http httpshttps://site.example/blog/x",
            ),
        ] {
            assert_eq!(stored(written), expected);
        }
    }

    #[test]
    fn urls_in_stored_urls_are_unchanged() {
        let site = Url::parse("https://site.example/").unwrap();
        for (written, expected) in [
            (
                "http://site.example/bhttp://site.example<a",
                "__GHOST_URL__/bhttp://site.example<a",
            ),
            (
                "a_http://site.example/b,http://site.example/c d http://site.example/",
                "a___GHOST_URL__/b,http://site.example/c d __GHOST_URL__/",
            ),
        ] {
            let stored = to_stored(written, &site);
            assert_eq!(stored, expected);
            assert_eq!(to_stored(&stored, &site), expected);
        }
    }

    #[test]
    fn raw_html_is_rewritten_as_html() {
        for (written, expected) in [
            ("a <a href=\"/x\">x</a>", "a <a href=\"@/x\">x</a>"),
            (
                "<div\nclass=\"a\">\n<img\nsrc=\"/i\">\n</div>",
                "<div\nclass=\"a\">\n<img\nsrc=\"@/i\">\n</div>",
            ),
            (
                "<!-- [a](/x) <a href=\"/y\"> -->\n\n[a](/x)",
                "<!-- [a](/x) <a href=\"/y\"> -->\n\n[a](@/x)",
            ),
        ] {
            assert_eq!(stored(written), expected);
        }
    }

    #[test]
    fn everything_else_is_unchanged() {
        for markdown in [
            "[a][r]\n\n[r]: /x\n",
            "`[a](/x) https://site.example/blog/x`",
            "```\n[a](/x) https://site.example/blog/x\n```",
            "    https://site.example/blog/x\n",
            "[a](/x\\_y) [b](/x&amp;y)",
            "[a](#h) [b](rel) [c](mailto:a@b.example) []()",
            "[a](/(b/../c\\))",
            "/x [a](/x",
        ] {
            assert_eq!(stored(markdown), markdown);
        }
    }
}
