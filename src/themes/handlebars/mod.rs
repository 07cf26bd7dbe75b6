//! Whether a template can be compiled: its tags are complete and its blocks are closed in order.
//!
//! The language is that of Handlebars 4.7, which Ghost's themes are written in. Nothing is rendered here, so nothing is
//! kept of a template but the partials that it names. Nothing recurses; a template is read once, from its start to its end.

mod tokens;

use self::tokens::{Opening, Tag, Tags, Token, Unreadable};

/// Most blocks that lie in each other, and most parentheses.
const DEPTH_MAX: usize = 250;

/// What a template that can be compiled asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Partials {
    /// Partials that must be there, by name.
    pub used: Vec<String>,
    /// Partials that the template makes itself.
    pub made: Vec<String>,
}

/// Why a template cannot be compiled.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads a template.
///
/// # Errors
///
/// When it cannot be compiled: the first thing that is wrong with it.
pub fn check(template: &str) -> Result<Partials, SyntaxError> {
    let checker = Checker {
        tags: Tags::of(template),
        blocks: Vec::new(),
        partials: Partials::default(),
    };
    checker.check().map_err(|Fault { start, reason }| {
        let before = &template.as_bytes()[..start.min(template.len())];
        SyntaxError {
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            reason,
        }
    })
}

/// A block that is open.
struct Block {
    /// What its end must name.
    name: String,
    /// Where it begins.
    start: usize,
    /// What may follow its first part.
    rest: Rest,
}

/// What of a block may come besides its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// `{{else if …}}` and `{{else}}`.
    Chain,
    /// `{{else}}`.
    Else,
    /// Nothing.
    Nothing,
}

/// What the end of a block names whose partial is computed (Handlebars 4.7).
const NAME_OF_COMPUTED: &str = "undefined";

/// How a tag names a partial.
struct PartialName {
    name: String,
    /// Whether it is a name, and not to be found out when the template is rendered.
    is_fixed: bool,
}

struct Fault {
    start: usize,
    reason: String,
}

impl From<Unreadable> for Fault {
    fn from(unreadable: Unreadable) -> Self {
        Self {
            start: unreadable.start,
            reason: unreadable.reason.to_owned(),
        }
    }
}

struct Checker<'t> {
    tags: Tags<'t>,
    blocks: Vec<Block>,
    partials: Partials,
}

impl Checker<'_> {
    fn check(mut self) -> Result<Partials, Fault> {
        while let Some(tag) = self.tags.next()? {
            let start = tag.start;
            self.take(&tag).map_err(|reason| Fault { start, reason })?;
        }
        match self.blocks.pop() {
            Some(block) => Err(Fault {
                start: block.start,
                reason: format!("the block \"{}\" has no end", block.name),
            }),
            None => Ok(self.partials),
        }
    }

    fn take(&mut self, tag: &Tag) -> Result<(), String> {
        let mut expression = Expression::of(&tag.tokens);
        match tag.opening {
            Opening::Else => return self.go_on(false),
            Opening::ElseChain => {
                expression.call()?;
                expression.parameters()?;
                self.go_on(true)?;
            }
            Opening::Value | Opening::Unescaped => {
                expression.call()?;
            }
            Opening::Partial => {
                let partial = expression.partial()?;
                self.partials
                    .used
                    .extend(partial.is_fixed.then_some(partial.name));
            }
            Opening::End => {
                let name = expression.name()?;
                self.close(&name)?;
            }
            Opening::Raw => {
                let name = expression.call()?;
                expression.end(Token::EndRaw)?;
                return match self.tags.skip_raw() {
                    Some(end) if end == name => Ok(()),
                    Some(end) => Err(format!("\"{name}\" is closed by \"{end}\"")),
                    None => Err(format!("the raw block \"{name}\" has no end")),
                };
            }
            Opening::PartialBlock => {
                let partial = expression.partial()?;
                self.open(tag, partial.name, Rest::Nothing)?;
            }
            Opening::Block | Opening::InverseBlock => {
                let name = expression.call()?;
                expression.parameters()?;
                let rest = match tag.opening {
                    Opening::Block => Rest::Chain,
                    _ => Rest::Else,
                };
                self.open(tag, name, rest)?;
            }
            Opening::DecoratorBlock => {
                let name = expression.call()?;
                expression.parameters()?;
                self.partials.made.extend(expression.first_text());
                self.open(tag, name, Rest::Nothing)?;
            }
        }
        expression.end(match tag.opening {
            Opening::Unescaped => Token::EndUnescaped,
            _ => Token::End,
        })
    }

    fn open(&mut self, tag: &Tag, name: String, rest: Rest) -> Result<(), String> {
        if self.blocks.len() == DEPTH_MAX {
            return Err(format!(
                "more than {DEPTH_MAX} blocks lie in each other here"
            ));
        }
        let start = tag.start;
        self.blocks.push(Block { name, start, rest });
        Ok(())
    }

    /// Another part of the block begins.
    fn go_on(&mut self, is_chain: bool) -> Result<(), String> {
        let block = self.blocks.last_mut();
        let block = block.ok_or("there is no block here that could have an else")?;
        match (block.rest, is_chain) {
            (Rest::Chain, true) => {}
            (Rest::Chain | Rest::Else, false) => block.rest = Rest::Nothing,
            (Rest::Else | Rest::Nothing, _) => {
                return Err(format!("the block \"{}\" has no such else", block.name));
            }
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        match self.blocks.pop() {
            Some(block) if block.name == name => Ok(()),
            Some(block) => Err(format!("\"{}\" is closed by \"{name}\"", block.name)),
            None => Err(format!("\"{name}\" is closed and was not open")),
        }
    }
}

/// What stands in a tag, token by token.
struct Expression<'t> {
    tokens: &'t [Token<'t>],
    position: usize,
}

impl<'t> Expression<'t> {
    fn of(tokens: &'t [Token<'t>]) -> Self {
        let position = 0;
        Self { tokens, position }
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.position).copied()
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn end(&mut self, wanted: Token) -> Result<(), String> {
        match self.next() {
            Some(found) if found == wanted => Ok(()),
            Some(Token::End | Token::EndUnescaped | Token::EndRaw) => {
                Err("the tag ends with another number of braces than it begins with".to_owned())
            }
            _ => Err("the tag does not end where it should".to_owned()),
        }
    }

    /// A name with what it is called with; returns the name.
    fn call(&mut self) -> Result<String, String> {
        let name = self.name()?;
        self.arguments()?;
        Ok(name)
    }

    /// The name of a partial with what it is called with.
    fn partial(&mut self) -> Result<PartialName, String> {
        let is_fixed = !matches!(self.peek(), Some(Token::Open | Token::Data));
        let name = match self.peek() {
            Some(Token::Open) => {
                self.parenthesised()?;
                NAME_OF_COMPUTED.to_owned()
            }
            _ => self.name()?,
        };
        self.arguments()?;
        Ok(PartialName { name, is_fixed })
    }

    /// A path, or a literal in its place; returns it as written, without quotes.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        match self.next() {
            Some(Token::Literal(text)) => {
                return Ok(text.trim_matches(['"', '\'']).to_owned());
            }
            Some(Token::Data) => match self.next() {
                Some(Token::Name(first)) => name.extend(["@", first]),
                _ => return Err("there is no name behind @".to_owned()),
            },
            Some(Token::Name(first)) => name.push_str(first),
            _ => return Err("a name is missing".to_owned()),
        }
        let is_up = |part: &str| matches!(part, "." | ".." | "this");
        let mut is_going_up = is_up(name.trim_start_matches('@'));
        while let Some(Token::Separator(separator)) = self.peek() {
            self.position += 1;
            let Some(Token::Name(part)) = self.next() else {
                return Err("a path has no name at its end".to_owned());
            };
            if is_up(part) && !is_going_up {
                return Err(format!(
                    "the path \"{name}{separator}{part}\" makes no sense"
                ));
            }
            is_going_up &= is_up(part);
            name.extend([separator, part]);
        }
        Ok(name)
    }

    /// `(name arguments)`
    fn parenthesised(&mut self) -> Result<(), String> {
        self.position += 1;
        self.name()?;
        self.arguments()?;
        match self.next() {
            Some(Token::Close) => Ok(()),
            _ => Err("a parenthesis is not closed".to_owned()),
        }
    }

    /// Values, and then values with keys; each may be a call in parentheses.
    fn arguments(&mut self) -> Result<(), String> {
        // For each parenthesis that is open, and outside of them: whether there was a key.
        let mut had_key = vec![false];
        loop {
            let is_key = matches!(self.peek(), Some(Token::Name(_)))
                && self.tokens.get(self.position + 1) == Some(&Token::Equals);
            let depth = had_key.len();
            let innermost = had_key.last_mut().ok_or("a parenthesis is not open")?;
            if is_key {
                *innermost = true;
                self.position += 2;
            }
            match self.peek() {
                Some(Token::Close) if !is_key && depth > 1 => {
                    self.position += 1;
                    had_key.pop();
                }
                Some(Token::Open | Token::Name(_) | Token::Literal(_) | Token::Data)
                    if *innermost && !is_key =>
                {
                    return Err("a value without a key stands behind one with a key".to_owned());
                }
                Some(Token::Open) => {
                    if depth > DEPTH_MAX {
                        return Err(format!("more than {DEPTH_MAX} parentheses are open here"));
                    }
                    self.position += 1;
                    self.name()?;
                    had_key.push(false);
                }
                Some(Token::Name(_) | Token::Literal(_) | Token::Data) => {
                    self.name()?;
                }
                _ if is_key => return Err("a key has no value".to_owned()),
                _ if depth > 1 => return Err("a parenthesis is not closed".to_owned()),
                _ => return Ok(()),
            }
        }
    }

    /// `as |one other|`
    fn parameters(&mut self) -> Result<(), String> {
        if self.peek() != Some(Token::Parameters) {
            return Ok(());
        }
        self.position += 1;
        let first = self.position;
        while let Some(Token::Name(_)) = self.peek() {
            self.position += 1;
        }
        match self.next() {
            Some(Token::ParametersEnd) if self.position > first + 1 => Ok(()),
            _ => Err("names are missing between | and |".to_owned()),
        }
    }

    /// The text that the call was given first.
    fn first_text(&self) -> Option<String> {
        match self.tokens.get(1) {
            Some(Token::Literal(text)) => Some(text.trim_matches(['"', '\'']).to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_all_kinds_are_taken() {
        for template in [
            "",
            "text { and } and }} alone",
            "{{!< default}}{{#foreach posts}}{{title}}{{/foreach}}{{pagination}}",
            "{{#if a}}1{{else if b}}2{{else}}3{{/if}}{{^x}}y{{/x}}{{#unless x}}{{^}}y{{/unless}}",
            "{{!-- {{ not a tag }} --}}{{! }}{{~!--a--~}}",
            "{{{html}}} {{&html}} {{~title~}}",
            "{{> \"components/post-card\" sizes=\"(max-width: 1px) 2px\" wide=true}}{{> @partial-block}}{{> (lookup . \"x\")}}",
            "{{img_url feature_image size=\"s\"}} {{@site.url}} {{../title}} {{./a}} {{this.b}} {{[odd name].c}}",
            "{{#get \"posts\" filter=\"id:-{{id}}\" limit=\"3\" as |posts|}}{{/get}}",
            "{{#*inline \"row\"}}x{{/inline}}{{#> layout}}fallback{{/layout}}{{#> (concat \"a\" b)}}c{{/undefined}}",
            "{{concat \"a\" (url (a b=1) c=null) d=(e)}} {{t \"Say \\\"hi\\\"\"}} {{x -1.5 true undefined}}",
            "{{{{raw}}}} {{ anything }} {{{{/raw}}}} \\{{escaped}} \\\\{{not}}",
        ] {
            assert!(check(template).is_ok(), "{template}: {:?}", check(template));
        }
    }

    #[test]
    fn what_cannot_be_compiled_is_refused_with_its_line() {
        for (template, line) in [
            ("{{#if a}}\n", 1),
            ("a\n{{/if}}", 2),
            ("{{#if a}}\n\n{{/each}}", 3),
            ("{{else}}", 1),
            ("{{#if a}}{{else}}{{else}}{{/if}}", 1),
            ("{{#if a}}{{else}}{{else if b}}{{/if}}", 1),
            ("\n{{title", 2),
            ("{{t \"a}}", 1),
            ("{{title}}}", 1),
            ("{{{title}}", 1),
            ("{{}}", 1),
            ("{{a (b}}", 1),
            ("{{a b)}}", 1),
            ("{{a b=}}", 1),
            ("{{a b=1 c}}", 1),
            ("{{a/}}", 1),
            ("{{a.this}}", 1),
            ("{{a as |b|}}", 1),
            ("{{#a as ||}}{{/a}}", 1),
            ("{{a;b}}", 1),
            ("{{!-- no end }}", 1),
            ("{{{{raw}}}} {{{{/other}}}}", 1),
            ("{{#> layout}}{{else}}{{/layout}}", 1),
        ] {
            let error = check(template).expect_err(template);
            assert_eq!(error.line, line, "{template}: {error}");
        }
    }

    #[test]
    fn partials_are_told() {
        let found = check(
            "{{> one}}{{> \"two/three\"}}{{> @partial-block}}{{#*inline \"four\"}}{{/inline}}{{#> five}}{{/five}}",
        );
        let found = found.unwrap();
        assert_eq!(found.used, ["one", "two/three"]);
        assert_eq!(found.made, ["four"]);
    }

    #[test]
    fn depth_has_a_bound() {
        let deep = |depth: usize| "{{#a}}".repeat(depth) + &"{{/a}}".repeat(depth);
        assert!(check(&deep(DEPTH_MAX)).is_ok());
        assert!(check(&deep(DEPTH_MAX + 1)).is_err());
        assert!(check(&format!("{{{{a {}}}}}", "(b ".repeat(100_000))).is_err());
    }
}
