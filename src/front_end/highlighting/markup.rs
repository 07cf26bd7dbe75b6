//! The tokens of markup such as HTML, including template expressions.

use super::{
    languages::by_name,
    tokens::{Kind, Token, add_tokens},
};

/// Returns the tokens of markup in order.
pub fn markup(code: &str) -> Vec<Token> {
    let mut reader = Reader {
        code,
        position: 0,
        tokens: Vec::new(),
    };
    while reader.position < code.len() {
        reader.text();
    }
    reader.tokens
}

/// The delimiters of comments, declarations and template expressions, and the kinds of their tokens. A longer delimiter comes
/// before its own prefixes.
const SPANS: [(&str, &str, Kind); 8] = [
    ("<!--", "-->", Kind::Comment),
    ("{{!--", "--}}", Kind::Comment),
    ("{#", "#}", Kind::Comment),
    ("{{", "}}", Kind::Variable),
    ("{%", "%}", Kind::Variable),
    ("<%", "%>", Kind::Variable),
    ("<?", "?>", Kind::Variable),
    ("<!", ">", Kind::Keyword),
];

/// The elements that contain code in another language.
const EMBEDDED: [(&str, &str); 2] = [("script", "javascript"), ("style", "css")];

struct Reader<'c> {
    code: &'c str,
    position: usize,
    tokens: Vec<Token>,
}

impl<'c> Reader<'c> {
    fn rest(&self) -> &'c str {
        &self.code[self.position..]
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let range = self.position..self.position + length;
        self.position = range.end;
        self.tokens.push(Token { kind, range });
    }

    /// Reads text up to the next element, comment, expression or entity, and then reads that.
    fn text(&mut self) {
        let rest = self.rest();
        let Some(start) = rest.find(['<', '{', '&']) else {
            self.position = self.code.len();
            return;
        };
        self.position += start;
        if self.span() {
            return;
        }
        let rest = self.rest();
        let name = rest.strip_prefix("</").or_else(|| rest.strip_prefix('<'));
        if rest.starts_with('&') {
            self.entity();
        } else if name.is_some_and(|name| name.starts_with(char::is_alphabetic)) {
            self.element();
        } else {
            self.position += 1;
        }
    }

    /// Reads a comment or an expression; returns whether there is one.
    fn span(&mut self) -> bool {
        let rest = self.rest();
        let Some((begin, end, kind)) = SPANS.iter().find(|(begin, ..)| rest.starts_with(begin))
        else {
            return false;
        };
        let inner = &rest[begin.len()..];
        let inner = inner
            .find(end)
            .map_or(inner.len(), |index| index + end.len());
        self.push(*kind, begin.len() + inner);
        true
    }

    fn entity(&mut self) {
        // The longest entity names have 31 letters.
        let name = self.rest().char_indices().skip(1).take(33);
        let end = name.take_while(|(_, character)| {
            character.is_ascii_alphanumeric() || matches!(character, '#' | ';')
        });
        match end.into_iter().find(|(_, character)| *character == ';') {
            Some((index, _)) => self.push(Kind::Constant, index + 1),
            None => self.position += 1,
        }
    }

    /// Reads a tag with its attributes, and the content if it is in another language.
    fn element(&mut self) {
        let rest = self.rest();
        let start = if rest.starts_with("</") { 2 } else { 1 };
        let length = rest[start..]
            .find(|character: char| {
                character.is_whitespace() || matches!(character, '>' | '/' | '<' | '{')
            })
            .map_or(rest.len(), |index| start + index);
        let name = &rest[start..length];
        self.push(Kind::Type, length);
        // Each call advances or returns false, so the loop ends.
        while self.position < self.code.len() && self.attribute() {}
        let embedded = EMBEDDED
            .iter()
            .find(|(element, _)| start == 1 && name == *element);
        if let Some((element, language)) = embedded {
            self.embedded(element, language);
        }
    }

    /// Reads the next name, value, expression or end of a tag. Returns whether the tag continues.
    fn attribute(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return false;
        };
        match first {
            '>' => {
                self.push(Kind::Type, 1);
                return false;
            }
            '<' => return false,
            '/' if rest.starts_with("/>") => {
                self.push(Kind::Type, 2);
                return false;
            }
            '"' | '\'' => {
                let end = rest[1..].find(first).map_or(rest.len(), |index| index + 2);
                // An unclosed quote takes the rest of the code.
                self.push(Kind::String, end);
            }
            '{' if self.span() => {}
            _ if first.is_alphanumeric()
                || matches!(first, ':' | '@' | '_' | '#' | '*' | '(' | '[') =>
            {
                let end = rest.find(|character: char| {
                    character.is_whitespace()
                        || matches!(character, '=' | '>' | '/' | '<' | '"' | '\'')
                });
                self.push(Kind::Key, end.unwrap_or(rest.len()));
            }
            _ => self.position += first.len_utf8(),
        }
        true
    }

    /// Reads code in another language up to the end tag of its element.
    fn embedded(&mut self, element: &str, language: &str) {
        let Some(words) = by_name(language) else {
            return;
        };
        let rest = self.rest();
        let end = rest.find(&format!("</{element}"));
        let end = self.position + end.unwrap_or(rest.len());
        add_tokens(words, self.code, self.position..end, &mut self.tokens);
        self.position = end;
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::texts, *};

    fn read(code: &str) -> Vec<(Kind, &str)> {
        texts(markup(code), code)
    }

    #[test]
    fn elements_have_names_attributes_and_values() {
        assert_eq!(
            read("<!doctype html><a href=\"/x\" hidden>A &amp; b</a><br/>"),
            [
                (Kind::Keyword, "<!doctype html>"),
                (Kind::Type, "<a"),
                (Kind::Key, "href"),
                (Kind::String, "\"/x\""),
                (Kind::Key, "hidden"),
                (Kind::Type, ">"),
                (Kind::Constant, "&amp;"),
                (Kind::Type, "</a"),
                (Kind::Type, ">"),
                (Kind::Type, "<br"),
                (Kind::Type, "/>"),
            ]
        );
    }

    #[test]
    fn expressions_of_templates_and_comments_are_read_in_text_and_tags() {
        assert_eq!(
            read("{{#if x}}<p {{y}}>{{!-- n --}}1 < 2<!-- c -->"),
            [
                (Kind::Variable, "{{#if x}}"),
                (Kind::Type, "<p"),
                (Kind::Variable, "{{y}}"),
                (Kind::Type, ">"),
                (Kind::Comment, "{{!-- n --}}"),
                (Kind::Comment, "<!-- c -->"),
            ]
        );
    }

    #[test]
    fn scripts_and_styles_are_read_as_their_languages() {
        assert_eq!(
            read("<script>let a = 1</script><style>b { top: 0 }</style>"),
            [
                (Kind::Type, "<script"),
                (Kind::Type, ">"),
                (Kind::Keyword, "let"),
                (Kind::Number, "1"),
                (Kind::Type, "</script"),
                (Kind::Type, ">"),
                (Kind::Type, "<style"),
                (Kind::Type, ">"),
                (Kind::Key, "top"),
                (Kind::Number, "0"),
                (Kind::Type, "</style"),
                (Kind::Type, ">"),
            ]
        );
    }
}
