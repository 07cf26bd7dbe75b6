//! Finds the code blocks of a page and highlights them.

use std::borrow::Cow;

use super::{
    language::Syntax,
    languages::by_name,
    lines, markup,
    tokens::{Kind, Token, add_tokens},
};

/// Maximum length of highlighted code, in bytes. Longer code stays plain, as readers do not read it.
const CODE_MAX: usize = 256 * 1024;

/// Size of the highlighted HTML of a page, in bytes, after which further code stays plain. It bounds the output when each token
/// is a single character.
const HTML_MAX: usize = 4 * 1024 * 1024;

/// Maximum length of a tag of a code block, in bytes, so that the time is proportional to the length of the page.
const TAG_MAX: usize = 1024;

impl Kind {
    /// Returns the class of the element for a token.
    fn class(self) -> &'static str {
        match self {
            Self::Comment => "code-comment",
            Self::String => "code-string",
            Self::Number => "code-number",
            Self::Keyword => "code-keyword",
            Self::Constant => "code-constant",
            Self::Function => "code-function",
            Self::Type => "code-type",
            Self::Key => "code-key",
            Self::Variable => "code-variable",
            Self::Added => "code-added",
            Self::Removed => "code-removed",
        }
    }
}

/// Returns the HTML of a post with an element around each token of its code.
///
/// Code is a `<code>` in a `<pre>`, with a class `language-…` or `lang-…` on either. Code in an unknown language, and code that
/// contains elements, is unchanged.
pub fn highlighted(html: &str) -> Cow<'_, str> {
    let mut output = String::new();
    let mut written = 0;
    let mut position = 0;
    while let Some(index) = html[position..].find("<pre")
        && output.len() < HTML_MAX
    {
        let start = position + index;
        // After the opening only: a `<pre>` without usable code may contain another one.
        position = start + "<pre".len();
        let Some(block) = Block::at(html, start) else {
            continue;
        };
        position = block.end;
        if let Some(code) = block.highlighted(html) {
            output.push_str(&html[written..block.start]);
            output.push_str(&code);
            written = block.end;
        }
    }
    if written == 0 {
        return Cow::Borrowed(html);
    }
    output.push_str(&html[written..]);
    Cow::Owned(output)
}

/// The text of a `<code>` in a `<pre>`: its language and its range in the HTML.
struct Block<'h> {
    language: &'h str,
    start: usize,
    end: usize,
}

impl<'h> Block<'h> {
    /// Returns the block of the `<pre` at `start`; `None` if it has no language or contains elements.
    fn at(html: &'h str, start: usize) -> Option<Self> {
        let rest = &html[start..];
        let pre_end = tag_length(rest)?;
        let pre = &rest[..pre_end];
        if !pre["<pre".len()..].starts_with([' ', '>', '\n'])
            || !rest[pre_end..].starts_with("<code")
        {
            return None;
        }
        let code_end = pre_end + tag_length(&rest[pre_end..])?;
        let language = language_of(&rest[pre_end..code_end]).or_else(|| language_of(pre))?;
        // Code that contains an element has been highlighted by its author or generator.
        let end = code_end + rest[code_end..].find('<')?;
        rest[end..].starts_with("</code>").then_some(Self {
            language,
            start: start + code_end,
            end: start + end,
        })
    }

    /// Returns the code with an element around each token; `None` if the language is unknown or the code is too long.
    fn highlighted(&self, html: &str) -> Option<String> {
        let words = by_name(self.language)?;
        let escaped = &html[self.start..self.end];
        if escaped.len() > CODE_MAX {
            return None;
        }
        // Tokens are those of the code, not of its entities.
        let code = htmlize::unescape(escaped);
        let tokens = match words.language.syntax {
            Syntax::Words => {
                let mut found = Vec::new();
                add_tokens(words, &code, 0..code.len(), &mut found);
                found
            }
            Syntax::Markup => markup::markup(&code),
            Syntax::Keys => lines::keys(words, &code),
            Syntax::Changes => lines::changes(&code),
        };
        Some(with_elements(&code, &tokens))
    }
}

/// Returns the length of the tag at the start of `html`; `None` if it exceeds [`TAG_MAX`].
fn tag_length(html: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    let end = memchr::memchr(b'>', &bytes[..bytes.len().min(TAG_MAX)])?;
    Some(end + 1)
}

/// Returns the language that the classes of a tag specify.
fn language_of(tag: &str) -> Option<&str> {
    let classes = &tag[tag.find("class=\"")? + "class=\"".len()..];
    let classes = &classes[..classes.find('"')?];
    let names = classes.split_ascii_whitespace();
    let mut languages = names.filter_map(|name| {
        name.strip_prefix("language-")
            .or_else(|| name.strip_prefix("lang-"))
    });
    languages.next()
}

fn with_elements(code: &str, tokens: &[Token]) -> String {
    let mut html = String::with_capacity(code.len() * 2);
    let mut written = 0;
    for token in tokens {
        escape(&code[written..token.range.start], &mut html);
        html.push_str("<span class=\"");
        html.push_str(token.kind.class());
        html.push_str("\">");
        escape(&code[token.range.clone()], &mut html);
        html.push_str("</span>");
        written = token.range.end;
    }
    escape(&code[written..], &mut html);
    html
}

fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '\u{a0}' => html.push_str("&nbsp;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_of_a_language_has_an_element_for_each_token() {
        let html = "<p>a</p><pre><code class=\"language-js\">let a = &quot;&lt;b&gt;&quot;;</code></pre><p>b</p>";
        assert_eq!(
            highlighted(html),
            "<p>a</p><pre><code class=\"language-js\"><span class=\"code-keyword\">let</span> a = \
             <span class=\"code-string\">\"&lt;b&gt;\"</span>;</code></pre><p>b</p>"
        );
    }

    #[test]
    fn code_without_a_known_language_and_code_with_elements_stay_as_they_are() {
        for html in [
            "<pre><code>let a = 1;</code></pre>",
            "<pre><code class=\"language-text\">let a = 1;</code></pre>",
            "<pre><code class=\"language-js\">let <b>a</b> = 1;</code></pre>",
            "<code class=\"language-js\">let a = 1;</code>",
            "<pre><code class=\"language-js\">let a",
            "<prelude><code class=\"language-js\">let a</code></prelude>",
        ] {
            assert!(
                matches!(highlighted(html), Cow::Borrowed(same) if same == html),
                "{html}"
            );
        }
    }

    #[test]
    fn html_of_much_code_is_bounded() {
        let block = format!(
            "<pre><code class=\"language-js\">{}</code></pre>",
            "1 ".repeat(100_000)
        );
        let html = block.repeat(5);
        let bytes = highlighted(&html).len();
        assert!(bytes < HTML_MAX + 2 * html.len() + 4_000_000, "{bytes}");
        assert!(
            highlighted(&html).ends_with(&block),
            "the last code is plain"
        );
    }

    #[test]
    fn the_language_may_be_a_class_of_the_block() {
        let html = "<pre class=\"lang-py\"><code>def</code></pre>";
        assert!(highlighted(html).contains("<span class=\"code-keyword\">def</span>"));
    }

    /// Returns the text of the code in `html`.
    fn text(html: &str) -> String {
        let after_tags = html
            .split('<')
            .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        htmlize::unescape(after_tags.collect::<String>()).into_owned()
    }

    proptest! {
        #[test]
        fn the_text_of_code_stays_the_same(
            language in prop::sample::select(vec![
                "rust", "js", "python", "bash", "css", "json", "yaml", "toml", "html", "diff", "sql", "ruby", "lisp", "php",
            ]),
            code in "([a-zA-Zé ]|[0-9.]|[<>&'\"`\\\\/*#$@:;=+{}()\\[\\]!%-]|\n|\u{a0}|//|/\\*|<script>|</script>|\"\"\"){0,60}",
        ) {
            let mut escaped = String::new();
            escape(&code, &mut escaped);
            let html = format!("<pre><code class=\"language-{language}\">{escaped}</code></pre>");
            prop_assert_eq!(text(&highlighted(&html)), code);
        }
    }
}
