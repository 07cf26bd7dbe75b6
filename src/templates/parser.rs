//! Makes the tree of a template.

use std::sync::Arc;

use super::{
    expression::{Arguments, Name, Tokens},
    lexer::{Fault, Lexer, Opening, Piece, Strip, Tag as TagTokens, Token},
    tree::{Block, Expression, Inline, Literal, Node, Partial, PartialName, Program, Text},
    whitespace::{self, NodeStrip, Parts},
};

/// Most nested blocks, and most nested parentheses.
pub const DEPTH_MAX: usize = 250;

/// The name at the end of a block whose partial is computed (Handlebars 4.7).
const NAME_OF_COMPUTED: &str = "undefined";

/// Returns the tree of a template.
///
/// # Errors
///
/// If it is not a template: the first error in it.
pub fn parse(text: &str) -> Result<Program, Fault> {
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        parameters: Vec::new(),
        depth: 0,
    };
    let (mut program, end) = parser.program()?;
    match end {
        None => {
            whitespace::finish(&mut program);
            Ok(program)
        }
        Some(tag) if tag.opening == Opening::End => {
            let name = end_name(&tag)?;
            let reason = format!("\"{name}\" is closed but was not open");
            Err(Fault::new(tag.start, reason))
        }
        Some(tag) => Err(Fault::new(
            tag.start,
            "there is no open block for this else",
        )),
    }
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The block parameters of the open blocks that have some.
    parameters: Vec<Vec<Box<str>>>,
    /// The number of open blocks.
    depth: usize,
}

/// The first tag of a block, or of a part that begins with `{{else if …}}`.
struct OpenBlock {
    start: usize,
    name: Name,
    arguments: Arguments,
    parameters: Vec<Box<str>>,
    strip: Strip,
}

/// The content of a block after its first tag.
struct BlockContent {
    program: Option<Program>,
    inverse: Option<Program>,
    /// Whether the inverse is another `{{else if …}}`.
    is_chained: bool,
    /// The strip of the tag between the two.
    inverse_strip: Strip,
    /// The strip of the end of the block.
    close: Strip,
}

impl<'t> Parser<'t> {
    /// Returns the content up to the end of the template or a tag that ends a part of a block, and this tag.
    fn program(&mut self) -> Result<(Program, Option<TagTokens<'t>>), Fault> {
        let mut nodes = Vec::new();
        let mut strips = Vec::new();
        let end = loop {
            let (node, strip) = match self.lexer.next()? {
                None => break None,
                Some(Piece::Text(range)) => (Node::Text(Text::new(range)), NodeStrip::default()),
                Some(Piece::Comment(strip)) => (Node::Comment, NodeStrip::alone(strip)),
                Some(Piece::Tag(tag)) => match tag.opening {
                    Opening::End | Opening::Else | Opening::ElseChain => break Some(tag),
                    _ => self.node(&tag)?,
                },
            };
            nodes.push(node);
            strips.push(strip);
        };
        whitespace::remove(self.text, &mut nodes, &strips, self.depth == 0);
        let program = Program {
            nodes,
            ..Program::default()
        };
        Ok((program, end))
    }

    fn node(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        match tag.opening {
            Opening::Raw => self.raw_block(tag),
            Opening::Partial => self.partial(tag),
            Opening::PartialBlock => self.partial_block(tag),
            Opening::DecoratorBlock => self.inline(tag),
            Opening::Block | Opening::InverseBlock => self.block(tag),
            Opening::Decorator => Err(Fault::new(tag.start, "the decorator is unknown")),
            _ => self.output(tag),
        }
    }

    fn output(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        let is_unescaped = tag.opening == Opening::Unescaped;
        tokens.end(if is_unescaped {
            Token::EndUnescaped
        } else {
            Token::End
        })?;
        let node = Node::Output {
            tag: arguments.tag(tag.start, name),
            is_escaped: tag.opening == Opening::Value,
        };
        Ok((node, NodeStrip::within(tag.strip)))
    }

    fn partial(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let (partial, _) = self.partial_tag(tag)?;
        Ok((
            Node::Partial(Box::new(partial)),
            NodeStrip::alone(tag.strip),
        ))
    }

    /// Returns the partial of a tag, and the name that closes its block.
    fn partial_tag(&self, tag: &TagTokens<'t>) -> Result<(Partial, Arc<str>), Fault> {
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
            return Err(Fault::new(
                tag.start,
                "the partial has more than one context",
            ));
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

    fn partial_block(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let (mut partial, name) = self.partial_tag(tag)?;
        let (mut program, close) = self.only_part(tag, Vec::new(), &name)?;
        let strip = whitespace::block(self.text, Parts::only(&mut program, tag.strip, close));
        partial.block = Some(program);
        Ok((Node::Partial(Box::new(partial)), strip))
    }

    fn inline(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let open = self.open(tag)?;
        if &*open.name.text != "inline" {
            return Err(Fault::new(tag.start, "the decorator is unknown"));
        }
        let (mut program, close) = self.only_part(tag, open.parameters, "inline")?;
        let strip = whitespace::block(self.text, Parts::only(&mut program, tag.strip, close));
        let name = open.arguments.positional.into_iter().next();
        let inline = Inline {
            name: name.unwrap_or(Expression::Literal(Literal::Undefined)),
            program,
        };
        Ok((Node::Inline(inline), strip))
    }

    /// Returns the content of a block that can have no else, and the strip of its end.
    fn only_part(
        &mut self,
        tag: &TagTokens<'t>,
        parameters: Vec<Box<str>>,
        name: &str,
    ) -> Result<(Program, Strip), Fault> {
        let (program, end) = self.part(tag.start, parameters, name)?;
        closes(name, &end)?;
        Ok((program, end.strip))
    }

    fn raw_block(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        tokens.end(Token::EndRaw)?;
        let (texts, end) = self.lexer.raw(tag.start)?;
        if *end != *name.text {
            let reason = format!("\"{}\" is closed by \"{end}\"", name.text);
            return Err(Fault::new(tag.start, reason));
        }
        let nodes = texts.into_iter().map(|range| Node::Text(Text::new(range)));
        let mut program = Program {
            nodes: nodes.collect(),
            ..Program::default()
        };
        let parts = Parts::only(&mut program, Strip::default(), Strip::default());
        let strip = whitespace::block(self.text, parts);
        let block = Block {
            tag: arguments.tag(tag.start, name),
            program: Some(program),
            inverse: None,
        };
        Ok((Node::Block(Box::new(block)), strip))
    }

    fn block(&mut self, tag: &TagTokens<'t>) -> Result<(Node, NodeStrip), Fault> {
        let mut open = self.open(tag)?;
        let name = Arc::clone(&open.name.text);
        let mut content = self.content(&mut open, &name, tag.opening)?;
        if tag.opening == Opening::InverseBlock {
            std::mem::swap(&mut content.program, &mut content.inverse);
        }
        let close = content.close;
        let (block, strip) = self.finished_block(open, content, close);
        Ok((Node::Block(Box::new(block)), strip))
    }

    /// Returns the content of a block, or of a part of a block that begins with an `{{else if …}}`, up to the end of the block,
    /// whose name is given.
    fn content(
        &mut self,
        open: &mut OpenBlock,
        name: &str,
        opening: Opening,
    ) -> Result<BlockContent, Fault> {
        let parameters = std::mem::take(&mut open.parameters);
        let (program, end) = self.part(open.start, parameters, name)?;
        let mut content = BlockContent {
            program: Some(program),
            inverse: None,
            is_chained: false,
            inverse_strip: end.strip,
            close: end.strip,
        };
        match end.opening {
            Opening::Else => {
                let (inverse, end) = self.part(end.start, Vec::new(), name)?;
                closes(name, &end)?;
                content.inverse = Some(inverse);
                content.close = end.strip;
            }
            Opening::ElseChain if opening != Opening::InverseBlock => {
                self.deeper(end.start)?;
                let (chained, close) = self.chained(&end, name, opening)?;
                self.depth -= 1;
                content.is_chained = true;
                content.inverse = Some(chained);
                content.close = close;
            }
            _ => closes(name, &end)?,
        }
        Ok(content)
    }

    /// Returns the part of a block that begins with an `{{else if …}}`, and the strip of the end of the block.
    fn chained(
        &mut self,
        tag: &TagTokens<'t>,
        name: &str,
        opening: Opening,
    ) -> Result<(Program, Strip), Fault> {
        let mut open = self.open(tag)?;
        let content = self.content(&mut open, name, Opening::ElseChain)?;
        let close = content.close;
        // The part after another such part ends with the strip of its own beginning (Handlebars 4.7).
        let is_first = opening == Opening::Block;
        let own_close = if is_first { close } else { tag.strip };
        let (block, _) = self.finished_block(open, content, own_close);
        let program = Program {
            nodes: vec![Node::Block(Box::new(block))],
            ..Program::default()
        };
        Ok((program, close))
    }

    fn finished_block(
        &self,
        open: OpenBlock,
        content: BlockContent,
        close: Strip,
    ) -> (Block, NodeStrip) {
        let BlockContent {
            mut program,
            mut inverse,
            is_chained,
            inverse_strip,
            ..
        } = content;
        let parts = Parts {
            program: program.as_mut(),
            inverse: inverse.as_mut(),
            is_chained,
            open: open.strip,
            inverse_strip,
            close,
        };
        let strip = whitespace::block(self.text, parts);
        let tag = open.arguments.tag(open.start, open.name);
        let block = Block {
            tag,
            program,
            inverse,
        };
        (block, strip)
    }

    /// Returns the content of one part of a block, and the tag that ends it.
    fn part(
        &mut self,
        start: usize,
        parameters: Vec<Box<str>>,
        name: &str,
    ) -> Result<(Program, TagTokens<'t>), Fault> {
        self.deeper(start)?;
        let count = parameters.len();
        if count > 0 {
            self.parameters.push(parameters);
        }
        let (mut program, end) = self.program()?;
        if count > 0 {
            self.parameters.pop();
        }
        self.depth -= 1;
        program.parameters = count;
        let end = end.ok_or_else(|| {
            let reason = format!("the block \"{name}\" has no end");
            Fault::new(start, reason)
        })?;
        Ok((program, end))
    }

    fn open(&self, tag: &TagTokens<'t>) -> Result<OpenBlock, Fault> {
        let mut tokens = Tokens::new(tag, &self.parameters);
        let name = tokens.name()?;
        let arguments = tokens.arguments()?;
        let parameters = tokens.parameters()?;
        tokens.end(Token::End)?;
        Ok(OpenBlock {
            start: tag.start,
            name,
            arguments,
            parameters,
            strip: tag.strip,
        })
    }

    fn deeper(&mut self, start: usize) -> Result<(), Fault> {
        if self.depth == DEPTH_MAX {
            let reason = format!("more than {DEPTH_MAX} blocks are nested here");
            return Err(Fault::new(start, reason));
        }
        self.depth += 1;
        Ok(())
    }
}

/// Checks that a tag is the end of the block that is named `name`.
fn closes(name: &str, end: &TagTokens) -> Result<(), Fault> {
    if end.opening != Opening::End {
        let reason = format!("the block \"{name}\" cannot have this else");
        return Err(Fault::new(end.start, reason));
    }
    let closed = end_name(end)?;
    if *closed == *name {
        Ok(())
    } else {
        let reason = format!("\"{name}\" is closed by \"{closed}\"");
        Err(Fault::new(end.start, reason))
    }
}

/// Returns the name in the end of a block.
fn end_name(end: &TagTokens) -> Result<Arc<str>, Fault> {
    let mut tokens = Tokens::new(end, &[]);
    let name = tokens.name()?;
    tokens.end(Token::End)?;
    Ok(name.text)
}
