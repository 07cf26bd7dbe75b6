//! Builds the tree of a template. Only parentheses recurse; open blocks are on a stack.

use std::sync::Arc;

use super::{
    expression::{DEPTH_MAX, Tokens},
    lexer::{Fault, Lexer, Opening, Piece, Strip, Tag as TagTokens, Token},
    tree::{Block, Expression, Inline, Literal, Node, Partial, PartialName, Program, Tag, Text},
    whitespace::{self, BlockParts, NodeStrip},
};

/// The name in the end tag of a block whose partial has a computed name (Handlebars 4.7).
const NAME_OF_COMPUTED: &str = "undefined";

/// Parses a template.
///
/// # Errors
///
/// The first syntax error.
pub fn parse(text: &str) -> Result<Program, Fault> {
    let mut lexer = Lexer::new(text);
    let mut parser = Parser {
        text,
        content: Content::default(),
        blocks: Vec::new(),
        parameters: Vec::new(),
    };
    while let Some(piece) = lexer.next()? {
        match piece {
            Piece::Text(range) => {
                parser.push(Node::Text(Text::new(range)), NodeStrip::default());
            }
            Piece::Comment(strip) => parser.push(Node::Comment, NodeStrip::alone(strip)),
            Piece::Tag(tag) if tag.opening == Opening::Raw => parser.raw_block(&tag, &mut lexer)?,
            Piece::Tag(tag) => parser.tag(&tag)?,
        }
    }
    parser.finished()
}

struct Parser<'t> {
    text: &'t str,
    /// The content of the innermost part so far.
    content: Content,
    /// The open blocks.
    blocks: Vec<OpenBlock>,
    /// The block parameters of the open parts that have any.
    parameters: Vec<Vec<Box<str>>>,
}

/// The content of a part of a block that is still open.
#[derive(Default)]
struct Content {
    nodes: Vec<Node>,
    /// The white space that each node removes from the text next to it.
    strips: Vec<NodeStrip>,
}

/// A block whose end tag has not been read.
struct OpenBlock {
    /// The offset of the opening tag.
    start: usize,
    kind: BlockKind,
    /// The name that the end tag must have.
    name: Arc<str>,
    /// The strip of the opening tag.
    strip: Strip,
    /// The part before the `{{else}}`.
    first: Option<Program>,
    /// The strip of the `{{else}}`.
    else_strip: Strip,
    /// Whether the `{{else}}` is an `{{else if …}}`.
    is_chained: bool,
    /// The number of block parameters of the open part.
    parameters: usize,
    /// The content before the block.
    outer: Content,
}

enum BlockKind {
    /// `{{#a}}`.
    Block(Tag),
    /// `{{^a}}`.
    Inverse(Tag),
    /// `{{else if …}}`, a block in the else part of the enclosing block, which also closes it.
    Chained(Tag),
    /// `{{#> a}}`.
    Partial(Partial),
    /// `{{#*inline a}}`.
    Inline(Expression),
}

impl Parser<'_> {
    fn push(&mut self, node: Node, strip: NodeStrip) {
        self.content.nodes.push(node);
        self.content.strips.push(strip);
    }

    fn tag(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        match tag.opening {
            Opening::Value | Opening::Unescaped | Opening::Ampersand | Opening::Raw => {
                self.output(tag)
            }
            Opening::Partial => {
                let (partial, _) = self.partial(tag)?;
                self.push(
                    Node::Partial(Box::new(partial)),
                    NodeStrip::alone(tag.strip),
                );
                Ok(())
            }
            Opening::PartialBlock => {
                let (partial, name) = self.partial(tag)?;
                self.open(tag, BlockKind::Partial(partial), name, Vec::new())
            }
            Opening::Block | Opening::InverseBlock | Opening::DecoratorBlock => self.block(tag),
            Opening::Else => self.begin_else(tag),
            Opening::ElseChain => self.begin_chained(tag),
            Opening::End => self.close(tag),
            Opening::Decorator => Err(Fault::new(tag.start, "unknown decorator")),
        }
    }

    fn output(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        tokens.end(match tag.opening {
            Opening::Unescaped => Token::EndUnescaped,
            _ => Token::End,
        })?;
        let node = Node::Output {
            tag: arguments.tag(tag.start, name),
            is_escaped: tag.opening == Opening::Value,
        };
        self.push(node, NodeStrip::within(tag.strip));
        Ok(())
    }

    /// Parses the partial of a tag. Returns it with the name that closes its block.
    fn partial(&self, tag: &TagTokens) -> Result<(Partial, Arc<str>), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let (name, closed_by) = if tokens.peek() == Some(Token::Open) {
            let computed = PartialName::Computed(tokens.expression()?);
            (computed, NAME_OF_COMPUTED.into())
        } else {
            let name = tokens.name()?.text;
            (PartialName::Fixed(Arc::clone(&name)), name)
        };
        let mut arguments = tokens.arguments()?;
        tokens.end(Token::End)?;
        if arguments.positional.len() > 1 {
            let reason = "the partial has more than one positional argument";
            return Err(Fault::new(tag.start, reason));
        }
        let partial = Partial {
            start: tag.start,
            name,
            context: arguments.positional.pop(),
            hash: arguments.has_names.then_some(arguments.named),
            block: None,
            indent: 0..0,
        };
        Ok((partial, closed_by))
    }

    /// Adds a raw block; the lexer finds its end.
    fn raw_block(&mut self, tag: &TagTokens, lexer: &mut Lexer) -> Result<(), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        tokens.end(Token::EndRaw)?;
        let (texts, end) = lexer.raw(tag.start)?;
        if *end != *name.text {
            return Err(mismatch(&name.text, end, tag.start));
        }
        let nodes = texts.into_iter().map(|range| Node::Text(Text::new(range)));
        let program = Program {
            nodes: nodes.collect(),
            ..Program::default()
        };
        let mut block = Block {
            tag: arguments.tag(tag.start, name),
            program: Some(program),
            inverse: None,
        };
        let strip = whitespace::block(self.text, BlockParts::without_strips(&mut block));
        self.push(Node::Block(Box::new(block)), strip);
        Ok(())
    }

    /// Opens an `{{else if …}}`, or a block other than that of a partial.
    fn block(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        let parameters = tokens.parameters()?;
        tokens.end(Token::End)?;
        let mut closed_by = Arc::clone(&name.text);
        let kind = match tag.opening {
            Opening::DecoratorBlock if &*name.text != "inline" => {
                return Err(Fault::new(tag.start, "unknown decorator"));
            }
            Opening::DecoratorBlock => {
                let name = arguments.positional.into_iter().next();
                BlockKind::Inline(name.unwrap_or(Expression::Literal(Literal::Undefined)))
            }
            Opening::InverseBlock => BlockKind::Inverse(arguments.tag(tag.start, name)),
            Opening::ElseChain => {
                // The end tag names the block that contains the chain, not the chained one.
                let outer = self.blocks.last().map(|block| Arc::clone(&block.name));
                closed_by = outer.unwrap_or(closed_by);
                BlockKind::Chained(arguments.tag(tag.start, name))
            }
            _ => BlockKind::Block(arguments.tag(tag.start, name)),
        };
        self.open(tag, kind, closed_by, parameters)
    }

    fn open(
        &mut self,
        tag: &TagTokens,
        kind: BlockKind,
        name: Arc<str>,
        parameters: Vec<Box<str>>,
    ) -> Result<(), Fault> {
        if self.blocks.len() == DEPTH_MAX {
            let reason = format!("more than {DEPTH_MAX} nested blocks");
            return Err(Fault::new(tag.start, reason));
        }
        self.blocks.push(OpenBlock {
            start: tag.start,
            kind,
            name,
            strip: tag.strip,
            first: None,
            else_strip: Strip::default(),
            is_chained: false,
            parameters: parameters.len(),
            outer: std::mem::take(&mut self.content),
        });
        if !parameters.is_empty() {
            self.parameters.push(parameters);
        }
        Ok(())
    }

    fn begin_else(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        let has_else = |block: &OpenBlock| {
            let can = !matches!(block.kind, BlockKind::Partial(_) | BlockKind::Inline(_));
            can && block.first.is_none()
        };
        let part = self.end_part();
        let Some(block) = self.blocks.last_mut() else {
            return Err(Fault::new(tag.start, "else without an open block"));
        };
        if !has_else(block) {
            let reason = format!("unexpected else in the block \"{}\"", block.name);
            return Err(Fault::new(tag.start, reason));
        }
        block.first = Some(part);
        block.else_strip = tag.strip;
        Ok(())
    }

    fn begin_chained(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        self.begin_else(tag)?;
        if let Some(block) = self.blocks.last_mut() {
            // The grammar of Handlebars has no chain in a `{{^a}}` block.
            if matches!(block.kind, BlockKind::Inverse(_)) {
                let reason = format!("unexpected else in the block \"{}\"", block.name);
                return Err(Fault::new(tag.start, reason));
            }
            block.is_chained = true;
        }
        self.block(tag)
    }

    /// Closes a block, including all its `{{else if …}}`.
    fn close(&mut self, tag: &TagTokens) -> Result<(), Fault> {
        // The name of an end tag is compared as written, so block parameters do not matter.
        let mut tokens = Tokens::new(tag, &[]);
        let name = tokens.name()?.text;
        tokens.end(Token::End)?;
        loop {
            let last = self.end_part();
            let Some(mut block) = self.blocks.pop() else {
                let reason = format!("\"{name}\" is closed but not open");
                return Err(Fault::new(tag.start, reason));
            };
            if block.name != name {
                return Err(mismatch(&block.name, &name, tag.start));
            }
            self.content = std::mem::take(&mut block.outer);
            let is_chained = matches!(block.kind, BlockKind::Chained(_));
            let outer = self.blocks.last().map(|outer| &outer.kind);
            // An `{{else if …}}` inside another one is closed with the strip of its opening tag (Handlebars 4.7).
            let is_second = is_chained && matches!(outer, Some(BlockKind::Chained(_)));
            let close = if is_second { block.strip } else { tag.strip };
            let (node, strip) = self.closed(block, last, close);
            self.push(
                node,
                if is_chained {
                    NodeStrip::default()
                } else {
                    strip
                },
            );
            if !is_chained {
                return Ok(());
            }
        }
    }

    /// Returns the node of a closed block, given its last part and the strip of its end tag.
    fn closed(&self, block: OpenBlock, last: Program, close: Strip) -> (Node, NodeStrip) {
        let (mut program, mut inverse) = match block.first {
            Some(first) => (Some(first), Some(last)),
            None => (Some(last), None),
        };
        if matches!(block.kind, BlockKind::Inverse(_)) {
            // In `{{^a}}`, the first part is the one for a missing value.
            std::mem::swap(&mut program, &mut inverse);
        }
        let parts = BlockParts {
            program: program.as_mut(),
            inverse: inverse.as_mut(),
            is_chained: block.is_chained,
            open: block.strip,
            else_strip: block.else_strip,
            close,
        };
        let strip = whitespace::block(self.text, parts);
        let node = match block.kind {
            BlockKind::Block(tag) | BlockKind::Inverse(tag) | BlockKind::Chained(tag) => {
                Node::Block(Box::new(Block {
                    tag,
                    program,
                    inverse,
                }))
            }
            BlockKind::Partial(partial) => Node::Partial(Box::new(Partial {
                block: program,
                ..partial
            })),
            BlockKind::Inline(name) => Node::Inline(Inline {
                name,
                program: program.unwrap_or_default(),
            }),
        };
        (node, strip)
    }

    /// Closes the innermost part.
    fn end_part(&mut self) -> Program {
        let Content { mut nodes, strips } = std::mem::take(&mut self.content);
        let block = self.blocks.last_mut();
        // Inner parts are stripped before outer ones, which is the order of Handlebars.
        whitespace::remove(self.text, &mut nodes, &strips, block.is_none());
        let parameters = block.map_or(0, |block| std::mem::take(&mut block.parameters));
        if parameters > 0 {
            self.parameters.pop();
        }
        Program {
            nodes,
            parameters,
            inlines: Vec::new(),
        }
    }

    fn finished(mut self) -> Result<Program, Fault> {
        // A chained block is closed by the end tag of its outer block, which is the one to report.
        let is_block = |block: &&OpenBlock| !matches!(block.kind, BlockKind::Chained(_));
        if let Some(block) = self.blocks.iter().rev().find(is_block) {
            let reason = format!("the block \"{}\" is not closed", block.name);
            return Err(Fault::new(block.start, reason));
        }
        let mut program = self.end_part();
        // Last, because comments and inline partials also decide whether a tag is alone on its
        // line.
        whitespace::finish(&mut program);
        Ok(program)
    }
}

fn mismatch(name: &str, closed_by: &str, start: usize) -> Fault {
    Fault::new(start, format!("\"{name}\" is closed by \"{closed_by}\""))
}
