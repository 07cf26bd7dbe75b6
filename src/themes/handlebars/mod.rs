//! Checks whether a template compiles: its tags are complete and its blocks are closed in order.
//!
//! The language is Handlebars 4.7, which Ghost's themes are written in. Nothing is rendered here,
//! so only the partials that a template names are stored. Nothing recurses; a template is read
//! once, from start to end.

mod tokens;

use self::tokens::{TagOpening, TagToken, TemplateTag, TemplateTags, Unreadable};

/// Most nested blocks, and most nested parentheses.
const DEPTH_MAX: usize = 250;

/// The partials of a template that compiles.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Partials {
    /// Names of partials that must exist.
    pub used: Vec<String>,
    /// Names of partials that the template defines itself.
    pub made: Vec<String>,
}

/// Why a template does not compile.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The cause.
    pub reason: String,
}

/// Checks a template.
///
/// # Errors
///
/// If it does not compile: the first error in it.
pub fn check(template: &str) -> Result<Partials, SyntaxError> {
    let checker = Checker {
        tags: TemplateTags::of(template),
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

/// An open block.
struct OpenBlock {
    /// The name that its end must have.
    name: String,
    /// Its offset.
    start: usize,
    /// The parts that may follow its first one.
    rest: BlockRest,
}

/// The parts of a block that may follow, besides its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockRest {
    /// `{{else if …}}` and `{{else}}`.
    Chain,
    /// `{{else}}`.
    Else,
    /// No other part.
    EndOnly,
}

/// The name at the end of a block whose partial is computed (Handlebars 4.7).
const NAME_OF_COMPUTED: &str = "undefined";

/// The name of a partial in a tag.
struct PartialName {
    name: String,
    /// True if it is a literal name, and not computed during rendering.
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
    tags: TemplateTags<'t>,
    blocks: Vec<OpenBlock>,
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

    fn take(&mut self, tag: &TemplateTag) -> Result<(), String> {
        let mut expression = Expression::of(&tag.tokens);
        match tag.opening {
            TagOpening::Else => return self.begin_part(false),
            TagOpening::ElseChain => {
                expression.call()?;
                expression.parameters()?;
                self.begin_part(true)?;
            }
            TagOpening::Value | TagOpening::Unescaped => {
                expression.call()?;
            }
            TagOpening::Partial => {
                let partial = expression.partial()?;
                self.partials
                    .used
                    .extend(partial.is_fixed.then_some(partial.name));
            }
            TagOpening::End => {
                let name = expression.name()?;
                self.close(&name)?;
            }
            TagOpening::Raw => {
                let name = expression.call()?;
                expression.end(TagToken::EndRaw)?;
                return match self.tags.skip_raw() {
                    Some(end) if end == name => Ok(()),
                    Some(end) => Err(format!("\"{name}\" is closed by \"{end}\"")),
                    None => Err(format!("the raw block \"{name}\" has no end")),
                };
            }
            TagOpening::PartialBlock => {
                let partial = expression.partial()?;
                self.open(tag, partial.name, BlockRest::EndOnly)?;
            }
            TagOpening::Block | TagOpening::InverseBlock => {
                let name = expression.call()?;
                expression.parameters()?;
                let rest = match tag.opening {
                    TagOpening::Block => BlockRest::Chain,
                    _ => BlockRest::Else,
                };
                self.open(tag, name, rest)?;
            }
            TagOpening::DecoratorBlock => {
                let name = expression.call()?;
                expression.parameters()?;
                self.partials.made.extend(expression.first_text());
                self.open(tag, name, BlockRest::EndOnly)?;
            }
        }
        expression.end(match tag.opening {
            TagOpening::Unescaped => TagToken::EndUnescaped,
            _ => TagToken::End,
        })
    }

    fn open(&mut self, tag: &TemplateTag, name: String, rest: BlockRest) -> Result<(), String> {
        if self.blocks.len() == DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} blocks are nested here"));
        }
        let start = tag.start;
        self.blocks.push(OpenBlock { name, start, rest });
        Ok(())
    }

    /// Begins another part of the block.
    fn begin_part(&mut self, is_chain: bool) -> Result<(), String> {
        let block = self.blocks.last_mut();
        let block = block.ok_or("there is no open block for this else")?;
        match (block.rest, is_chain) {
            (BlockRest::Chain, true) => {}
            (BlockRest::Chain | BlockRest::Else, false) => block.rest = BlockRest::EndOnly,
            (BlockRest::Else | BlockRest::EndOnly, _) => {
                return Err(format!(
                    "the block \"{}\" cannot have this else",
                    block.name
                ));
            }
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        match self.blocks.pop() {
            Some(block) if block.name == name => Ok(()),
            Some(block) => Err(format!("\"{}\" is closed by \"{name}\"", block.name)),
            None => Err(format!("\"{name}\" is closed but was not open")),
        }
    }
}

/// The tokens of a tag, read one by one.
struct Expression<'t> {
    tokens: &'t [TagToken<'t>],
    position: usize,
}

impl<'t> Expression<'t> {
    fn of(tokens: &'t [TagToken<'t>]) -> Self {
        let position = 0;
        Self { tokens, position }
    }

    fn peek(&self) -> Option<TagToken<'t>> {
        self.tokens.get(self.position).copied()
    }

    fn next(&mut self) -> Option<TagToken<'t>> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn end(&mut self, expected: TagToken) -> Result<(), String> {
        match self.next() {
            Some(found) if found == expected => Ok(()),
            Some(TagToken::End | TagToken::EndUnescaped | TagToken::EndRaw) => {
                Err("the tag ends with another number of braces than it begins with".to_owned())
            }
            _ => Err("the tag does not end where it should".to_owned()),
        }
    }

    /// Reads a name with its arguments; returns the name.
    fn call(&mut self) -> Result<String, String> {
        let name = self.name()?;
        self.arguments()?;
        Ok(name)
    }

    /// Reads the name of a partial with its arguments.
    fn partial(&mut self) -> Result<PartialName, String> {
        let is_fixed = !matches!(self.peek(), Some(TagToken::Open | TagToken::Data));
        let name = match self.peek() {
            Some(TagToken::Open) => {
                self.parenthesised()?;
                NAME_OF_COMPUTED.to_owned()
            }
            _ => self.name()?,
        };
        self.arguments()?;
        Ok(PartialName { name, is_fixed })
    }

    /// Reads a path or a literal; returns it as written, without quotes.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        match self.next() {
            Some(TagToken::Literal(text)) => {
                return Ok(text.trim_matches(['"', '\'']).to_owned());
            }
            Some(TagToken::Data) => match self.next() {
                Some(TagToken::Name(first)) => name.extend(["@", first]),
                _ => return Err("there is no name after @".to_owned()),
            },
            Some(TagToken::Name(first)) => name.push_str(first),
            _ => return Err("a name is missing".to_owned()),
        }
        let is_up = |part: &str| matches!(part, "." | ".." | "this");
        let mut is_going_up = is_up(name.trim_start_matches('@'));
        while let Some(TagToken::Separator(separator)) = self.peek() {
            self.position += 1;
            let Some(TagToken::Name(part)) = self.next() else {
                return Err("a path has no name at its end".to_owned());
            };
            if is_up(part) && !is_going_up {
                return Err(format!("the path \"{name}{separator}{part}\" is invalid"));
            }
            is_going_up &= is_up(part);
            name.extend([separator, part]);
        }
        Ok(name)
    }

    /// Reads `(name arguments)`.
    fn parenthesised(&mut self) -> Result<(), String> {
        self.position += 1;
        self.name()?;
        self.arguments()?;
        match self.next() {
            Some(TagToken::Close) => Ok(()),
            _ => Err("a parenthesis is not closed".to_owned()),
        }
    }

    /// Reads values, and then values with keys; each may be a call in parentheses.
    fn arguments(&mut self) -> Result<(), String> {
        // For each open parenthesis, and for the outside: whether there was a key.
        let mut had_key = vec![false];
        loop {
            let is_key = matches!(self.peek(), Some(TagToken::Name(_)))
                && self.tokens.get(self.position + 1) == Some(&TagToken::Equals);
            let depth = had_key.len();
            let innermost = had_key.last_mut().ok_or("a parenthesis is not open")?;
            if is_key {
                *innermost = true;
                self.position += 2;
            }
            match self.peek() {
                Some(TagToken::Close) if !is_key && depth > 1 => {
                    self.position += 1;
                    had_key.pop();
                }
                Some(
                    TagToken::Open | TagToken::Name(_) | TagToken::Literal(_) | TagToken::Data,
                ) if *innermost && !is_key => {
                    return Err("a value without a key follows one with a key".to_owned());
                }
                Some(TagToken::Open) => {
                    if depth > DEPTH_MAX {
                        return Err(format!("more than {DEPTH_MAX} parentheses are open here"));
                    }
                    self.position += 1;
                    self.name()?;
                    had_key.push(false);
                }
                Some(TagToken::Name(_) | TagToken::Literal(_) | TagToken::Data) => {
                    self.name()?;
                }
                _ if is_key => return Err("a key has no value".to_owned()),
                _ if depth > 1 => return Err("a parenthesis is not closed".to_owned()),
                _ => return Ok(()),
            }
        }
    }

    /// Reads `as |one other|`.
    fn parameters(&mut self) -> Result<(), String> {
        if self.peek() != Some(TagToken::Parameters) {
            return Ok(());
        }
        self.position += 1;
        let first = self.position;
        while let Some(TagToken::Name(_)) = self.peek() {
            self.position += 1;
        }
        match self.next() {
            Some(TagToken::ParametersEnd) if self.position > first + 1 => Ok(()),
            _ => Err("names are missing between | and |".to_owned()),
        }
    }

    /// Returns the call's first argument, if it is a text.
    fn first_text(&self) -> Option<String> {
        match self.tokens.get(1) {
            Some(TagToken::Literal(text)) => Some(text.trim_matches(['"', '\'']).to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_templates_are_accepted() {
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
    fn invalid_templates_are_refused_with_the_line() {
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
    fn partials_are_collected() {
        let found = check(
            "{{> one}}{{> \"two/three\"}}{{> @partial-block}}{{#*inline \"four\"}}{{/inline}}{{#> five}}{{/five}}",
        );
        let found = found.unwrap();
        assert_eq!(found.used, ["one", "two/three"]);
        assert_eq!(found.made, ["four"]);
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |depth: usize| "{{#a}}".repeat(depth) + &"{{/a}}".repeat(depth);
        assert!(check(&deep(DEPTH_MAX)).is_ok());
        assert!(check(&deep(DEPTH_MAX + 1)).is_err());
        assert!(check(&format!("{{{{a {}}}}}", "(b ".repeat(100_000))).is_err());
    }
}
