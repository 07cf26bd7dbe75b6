//! Traversal of the tree of a template, for checks of names.

use std::collections::HashMap;

use super::tree::{
    Block, Expression, Inline, Literal, Node, Partial, PartialName, Path, Program, Tag,
};

/// How a tag is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagUse {
    /// The tag writes its value.
    Output,
    /// The tag opens a block.
    Block,
    /// The tag is an argument.
    Argument,
}

/// Visits the parts of a template, in the order of the text. A tag is visited before its path and its arguments.
pub trait Visitor<'t> {
    /// Visits a tag.
    fn tag(&mut self, _tag: &'t Tag, _used_as: TagUse, _around: &Around<'t>) {}

    /// Visits a path in the tag that begins at `start`. `is_used_directly` if the tag writes the path, or is a block that has it
    /// as an argument.
    fn path(
        &mut self,
        _path: &'t Path,
        _start: usize,
        _is_used_directly: bool,
        _around: &Around<'t>,
    ) {
    }

    /// Visits a partial, before its block.
    fn partial(&mut self, _partial: &'t Partial, _around: &Around<'t>) {}

    /// Visits the end of a partial, after its block.
    fn partial_end(&mut self) {}

    /// Visits an inline partial.
    fn inline(&mut self, _inline: &'t Inline) {}
}

/// The parts of a template that enclose the visited one.
#[derive(Default)]
pub struct Around<'t> {
    /// The tags of the enclosing blocks, outermost first.
    pub blocks: Vec<&'t Tag>,
    /// The names of the inline partials in scope, with the number of their definitions.
    defined: HashMap<String, usize>,
}

impl Around<'_> {
    /// Returns whether an inline partial with this name is in scope.
    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }
}

/// Traverses a program.
pub fn walk<'t>(program: &'t Program, visitor: &mut dyn Visitor<'t>) {
    let mut walk = Walk {
        visitor,
        around: Around::default(),
    };
    walk.program(program);
}

/// Returns the name of an inline partial as written.
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

    /// Visits an argument of the tag that begins at `start`.
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
