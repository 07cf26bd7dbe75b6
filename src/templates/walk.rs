//! Walks through the tree of a template, for the checks of names.

use std::collections::HashMap;

use super::tree::{
    Block, Expression, Inline, Literal, Node, Partial, PartialName, Path, Program, Tag,
};

/// The use of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagUse {
    /// It writes its value.
    Output,
    /// It begins a block.
    Block,
    /// It is an argument.
    Argument,
}

/// Reads the parts of a template, in the order of the text. A tag is read before its path and its arguments.
pub trait Visitor<'t> {
    /// Reads a tag.
    fn tag(&mut self, _tag: &'t Tag, _used_as: TagUse, _around: &Around<'t>) {}

    /// Reads a path in the tag that begins at `start`; `is_used_directly` if the tag writes it, or is a block that it is given to.
    fn path(
        &mut self,
        _path: &'t Path,
        _start: usize,
        _is_used_directly: bool,
        _around: &Around<'t>,
    ) {
    }

    /// Reads a partial, before its block.
    fn partial(&mut self, _partial: &'t Partial, _around: &Around<'t>) {}

    /// Reads the end of a partial, after its block.
    fn partial_end(&mut self) {}

    /// Reads a partial that the template defines.
    fn inline(&mut self, _inline: &'t Inline) {}
}

/// The parts of a template around the one that is read.
#[derive(Default)]
pub struct Around<'t> {
    /// The tags of the blocks, the outermost first.
    pub blocks: Vec<&'t Tag>,
    /// The names of the partials that are defined in the programs around, with the number of their definitions.
    defined: HashMap<String, usize>,
}

impl Around<'_> {
    /// Returns whether a program around defines a partial of this name.
    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }
}

/// Walks through a program.
pub fn walk<'t>(program: &'t Program, visitor: &mut dyn Visitor<'t>) {
    let mut walk = Walk {
        visitor,
        around: Around::default(),
    };
    walk.program(program);
}

/// Returns the name of a partial that a template defines, as it is written.
pub fn name_of(inline: &Inline) -> Option<String> {
    match &inline.name {
        Expression::Literal(Literal::Text(name)) => Some(name.to_string()),
        Expression::Literal(Literal::Number(number)) => Some(number.to_string()),
        Expression::Path(path) => Some(path.names.join(".")),
        Expression::Literal(_) | Expression::Call(_) => None,
    }
}

struct Walk<'t, 'v> {
    visitor: &'v mut dyn Visitor<'t>,
    around: Around<'t>,
}

impl<'t> Walk<'t, '_> {
    fn program(&mut self, program: &'t Program) {
        let defined: Vec<String> = program.inlines.iter().filter_map(name_of).collect();
        for name in &defined {
            *self.around.defined.entry(name.clone()).or_default() += 1;
        }
        for inline in &program.inlines {
            self.visitor.inline(inline);
            self.expression(&inline.name, 0, false);
            self.program(&inline.program);
        }
        for node in &program.nodes {
            match node {
                Node::Output { tag, .. } => self.tag(tag, TagUse::Output),
                Node::Block(block) => self.block(block),
                Node::Partial(partial) => self.partial(partial),
                Node::Text(_) | Node::Comment | Node::Inline(_) => {}
            }
        }
        for name in defined {
            if let Some(count) = self.around.defined.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    self.around.defined.remove(&name);
                }
            }
        }
    }

    fn block(&mut self, block: &'t Block) {
        let tag = &block.tag;
        self.visitor.tag(tag, TagUse::Block, &self.around);
        self.around.blocks.push(tag);
        self.parts(tag, TagUse::Block);
        for program in block.program.iter().chain(&block.inverse) {
            self.program(program);
        }
        self.around.blocks.pop();
    }

    fn partial(&mut self, partial: &'t Partial) {
        self.visitor.partial(partial, &self.around);
        if let PartialName::Computed(name) = &partial.name {
            self.expression(name, partial.start, false);
        }
        if let Some(context) = &partial.context {
            self.expression(context, partial.start, false);
        }
        for (_, value) in partial.hash.iter().flatten() {
            self.expression(value, partial.start, false);
        }
        if let Some(block) = &partial.block {
            self.program(block);
        }
        self.visitor.partial_end();
    }

    fn tag(&mut self, tag: &'t Tag, used_as: TagUse) {
        self.visitor.tag(tag, used_as, &self.around);
        self.parts(tag, used_as);
    }

    fn parts(&mut self, tag: &'t Tag, used_as: TagUse) {
        self.path(&tag.path, tag.start, used_as == TagUse::Output);
        for argument in &tag.arguments {
            self.expression(argument, tag.start, used_as == TagUse::Block);
        }
        for (_, value) in &tag.hash {
            self.expression(value, tag.start, false);
        }
    }

    /// Reads an argument of the tag that begins at `start`.
    fn expression(&mut self, expression: &'t Expression, start: usize, is_used_directly: bool) {
        match expression {
            Expression::Call(tag) => self.tag(tag, TagUse::Argument),
            Expression::Path(path) => self.path(path, start, is_used_directly),
            Expression::Literal(_) => {}
        }
    }

    fn path(&mut self, path: &'t Path, start: usize, is_used_directly: bool) {
        self.visitor
            .path(path, start, is_used_directly, &self.around);
    }
}
