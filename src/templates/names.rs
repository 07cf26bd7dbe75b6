//! The names that a template uses and defines.

use super::tree::{
    Block, Expression, Literal, Node, Partial, PartialName, Path, PathRoot, Program, Tag, TagKind,
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
    /// The variables that it names: `@site.title`.
    pub variables: Vec<Variable<'t>>,
    /// The texts of filters of `{{#get}}`, which may name variables.
    pub filters: Vec<&'t str>,
    /// The variables that `{{#match a "=" b}}` compares with texts, with the offset of the tag.
    pub compared: Vec<(usize, &'t [Box<str>], &'t str)>,
}

/// A variable that a template names.
#[derive(Debug)]
pub struct Variable<'t> {
    /// The offset of the tag.
    pub start: usize,
    /// Its names, without `@`.
    pub names: &'t [Box<str>],
    /// Whether the tag writes it, or is a block that it is given to.
    pub is_used_directly: bool,
}

/// The use of a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TagUse {
    /// It writes its value.
    Output,
    /// It begins a block.
    Block,
    /// It is an argument.
    Argument,
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
                computed => self.expression(computed, 0, false),
            }
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
    }

    fn block(&mut self, block: &'t Block) {
        let tag = &block.tag;
        if matches!(&*tag.name, "if" | "unless") && tag.arguments.len() != 1 {
            self.used.push((tag.start, NameUse::Condition(&tag.name)));
        }
        if &*tag.name == "match"
            && let [one, _, other] = &tag.arguments[..]
        {
            let compared = compared(one, other).or_else(|| compared(other, one));
            let compared = compared.map(|(names, text)| (tag.start, names, text));
            self.compared.extend(compared);
        }
        self.tag(tag, TagUse::Block);
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
                self.expression(name, partial.start, false);
                partial.block.is_none().then_some(NameUse::ComputedPartial)
            }
        };
        self.used.extend(name.map(|name| (partial.start, name)));
        partial
            .context
            .iter()
            .for_each(|context| self.expression(context, partial.start, false));
        for (_, value) in partial.hash.iter().flatten() {
            self.expression(value, partial.start, false);
        }
        partial.block.iter().for_each(|block| self.program(block));
    }

    fn tag(&mut self, tag: &'t Tag, used_as: TagUse) {
        let has_arguments = !tag.arguments.is_empty() || !tag.hash.is_empty();
        let is_called = match tag.kind {
            TagKind::Helper | TagKind::Invalid => true,
            // A block parameter with arguments is a value, but Ghost's check refuses it too.
            TagKind::Value => used_as == TagUse::Argument || has_arguments,
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
        self.path(&tag.path, tag.start, used_as == TagUse::Output);
        for argument in &tag.arguments {
            self.expression(argument, tag.start, used_as == TagUse::Block);
        }
        for (name, value) in &tag.hash {
            self.expression(value, tag.start, false);
            if (&*tag.name, &**name) == ("get", "filter")
                && let Expression::Literal(Literal::Text(filter)) = value
            {
                self.filters.push(filter);
            }
        }
    }

    /// Notes the names in an argument of the tag that begins at `start`.
    fn expression(&mut self, expression: &'t Expression, start: usize, is_used_directly: bool) {
        match expression {
            Expression::Call(tag) => self.tag(tag, TagUse::Argument),
            Expression::Path(path) => self.path(path, start, is_used_directly),
            Expression::Literal(_) => {}
        }
    }

    fn path(&mut self, path: &'t Path, start: usize, is_used_directly: bool) {
        if matches!(path.root, PathRoot::Data(_)) {
            self.variables.push(Variable {
                start,
                names: &path.names,
                is_used_directly,
            });
        }
    }
}

/// Returns the names of a variable and the text that it is compared with.
fn compared<'t>(
    variable: &'t Expression,
    value: &'t Expression,
) -> Option<(&'t [Box<str>], &'t str)> {
    match (variable, value) {
        (Expression::Path(path), Expression::Literal(Literal::Text(text)))
            if matches!(path.root, PathRoot::Data(_)) =>
        {
            Some((&path.names, text))
        }
        _ => None,
    }
}
