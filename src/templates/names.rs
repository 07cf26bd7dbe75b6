//! The names that a template uses and defines.

use super::tree::{
    Block, Expression, Literal, Node, Partial, PartialName, PathRoot, Program, Tag, TagKind,
};

/// A use of a name.
#[derive(Debug)]
pub enum NameUse<'t> {
    /// A partial.
    Partial {
        /// Its name.
        name: &'t str,
        /// Whether it must exist: it has no block that is rendered otherwise.
        is_needed: bool,
    },
    /// A partial whose name is computed, without a block.
    ComputedPartial,
    /// A helper that must exist.
    Helper(String),
    /// A condition that does not have exactly one argument.
    Condition(&'t str),
}

/// The names that a template uses and defines.
#[derive(Debug, Default)]
pub struct Names<'t> {
    /// Those that it uses, each with the offset of the tag.
    pub used: Vec<(usize, NameUse<'t>)>,
    /// The partials that it defines itself.
    pub defined: Vec<&'t str>,
}

impl<'t> Names<'t> {
    /// Returns the names of a program.
    pub fn of(program: &'t Program) -> Self {
        let mut names = Self::default();
        names.program(program);
        names
    }

    /// Returns whether it uses a partial by its name.
    pub fn uses_partials(&self) -> bool {
        let is_partial = |name: &NameUse| matches!(name, NameUse::Partial { .. });
        self.used.iter().any(|(_, name)| is_partial(name))
    }

    fn program(&mut self, program: &'t Program) {
        for inline in &program.inlines {
            match &inline.name {
                Expression::Literal(Literal::Text(name)) => self.defined.push(name),
                computed => self.expression(computed),
            }
            self.program(&inline.program);
        }
        for node in &program.nodes {
            match node {
                Node::Output { tag, .. } => self.tag(tag, false),
                Node::Block(block) => self.block(block),
                Node::Partial(partial) => self.partial(partial),
                Node::Text(_) | Node::Comment | Node::Inline(_) => {}
            }
        }
    }

    fn block(&mut self, block: &'t Block) {
        let tag = &block.tag;
        if matches!(&*tag.name, "if" | "unless") && tag.arguments.len() != 1 {
            self.used.push((tag.start, NameUse::Condition(&tag.name)));
        }
        self.tag(tag, false);
        for program in block.program.iter().chain(&block.inverse) {
            self.program(program);
        }
    }

    fn partial(&mut self, partial: &'t Partial) {
        let name = match &partial.name {
            PartialName::Fixed(name) => Some(NameUse::Partial {
                name,
                is_needed: partial.block.is_none(),
            }),
            PartialName::Computed(name) => {
                self.expression(name);
                partial.block.is_none().then_some(NameUse::ComputedPartial)
            }
        };
        self.used.extend(name.map(|name| (partial.start, name)));
        partial
            .context
            .iter()
            .for_each(|context| self.expression(context));
        for (_, value) in partial.hash.iter().flatten() {
            self.expression(value);
        }
        partial.block.iter().for_each(|block| self.program(block));
    }

    fn tag(&mut self, tag: &'t Tag, is_subexpression: bool) {
        let has_arguments = !tag.arguments.is_empty() || !tag.hash.is_empty();
        let is_called = match tag.kind {
            TagKind::Helper | TagKind::Invalid => true,
            // A block parameter with arguments is a value, but Ghost's check refuses it too.
            TagKind::Value => is_subexpression || has_arguments,
            TagKind::Ambiguous => false,
        };
        if is_called {
            let sign = if matches!(tag.path.root, PathRoot::Data(_)) {
                "@"
            } else {
                ""
            };
            let name = match tag.path.root {
                PathRoot::Parameter(..) => tag.name.to_string(),
                _ => format!("{sign}{}", tag.path.names.join(".")),
            };
            self.used.push((tag.start, NameUse::Helper(name)));
        }
        for argument in &tag.arguments {
            self.expression(argument);
        }
        for (_, value) in &tag.hash {
            self.expression(value);
        }
    }

    fn expression(&mut self, expression: &'t Expression) {
        if let Expression::Call(tag) = expression {
            self.tag(tag, true);
        }
    }
}
