//! The names that a template uses and defines.

use std::ops::Range;

use super::{
    tree::{
        Expression, Inline, Literal, Partial, PartialName, Path, PathRoot, Program, Tag, TagKind,
    },
    walk::{Around, TagUse, Visitor, name_of, walk},
};

/// The use of a name.
#[derive(Debug)]
pub enum NameUse<'t> {
    /// A partial.
    Partial {
        /// The name of the partial.
        name: &'t str,
        /// Whether the template itself defines the partial, in the scope of the tag.
        is_own: bool,
        /// The range in [`Names::defined`] of the partials that the block of the tag defines for this one.
        given: Range<usize>,
    },
    /// A partial with a computed name and without a block.
    ComputedPartial,
    /// A helper that must exist.
    Helper(String),
    /// A condition that does not have exactly one argument.
    Condition(&'t str),
}

/// The names that a template uses and defines.
#[derive(Debug, Default)]
pub struct Names<'t> {
    /// The names that the template uses, each with the offset of its tag.
    pub used: Vec<(usize, NameUse<'t>)>,
    /// The inline partials that the template defines, in order.
    pub defined: Vec<String>,
    /// The variables in the template, such as `@site.title`.
    pub variables: Vec<Variable<'t>>,
    /// The filters of `{{#get}}`, which may contain variables.
    pub filters: Vec<&'t str>,
    /// The variables that `{{#match a "=" b}}` compares with strings, with the offset of the tag.
    pub compared: Vec<(usize, &'t [Box<str>], &'t str)>,
    /// The indexes in `used` of the partials whose blocks are open; `None` for those with a computed name.
    open_partials: Vec<Option<usize>>,
}

/// A variable in a template.
#[derive(Debug)]
pub struct Variable<'t> {
    /// The offset of the tag.
    pub start: usize,
    /// The segments of the path, without `@`.
    pub names: &'t [Box<str>],
    /// Whether the tag writes the variable, or is a block that has it as an argument.
    pub is_used_directly: bool,
}

impl<'t> Names<'t> {
    /// Collects the names in a program.
    pub fn of(program: &'t Program) -> Self {
        let mut names = Self::default();
        walk(program, &mut names);
        names
    }

    /// Returns whether the template uses a partial with a fixed name.
    pub fn uses_partials(&self) -> bool {
        let is_partial = |name: &NameUse| matches!(name, NameUse::Partial { .. });
        self.used.iter().any(|(_, name)| is_partial(name))
    }
}

impl<'t> Visitor<'t> for Names<'t> {
    fn inline(&mut self, inline: &'t Inline) {
        self.defined.extend(name_of(inline));
    }

    fn partial(&mut self, partial: &'t Partial, around: &Around<'t>) {
        let use_of_name = match &partial.name {
            PartialName::Fixed(name) => Some(NameUse::Partial {
                name,
                is_own: around.defines(name),
                given: self.defined.len()..self.defined.len(),
            }),
            PartialName::Computed(_) => partial.block.is_none().then_some(NameUse::ComputedPartial),
        };
        // `open_partials` gets an entry for every partial, so that `partial_end` pops the matching
        // one.
        let index = matches!(use_of_name, Some(NameUse::Partial { .. })).then_some(self.used.len());
        self.open_partials.push(index);
        self.used
            .extend(use_of_name.map(|name| (partial.start, name)));
    }

    fn partial_end(&mut self) {
        let defined = self.defined.len();
        if let Some(index) = self.open_partials.pop().flatten()
            && let Some((_, NameUse::Partial { given, .. })) = self.used.get_mut(index)
        {
            given.end = defined;
        }
    }

    fn tag(&mut self, tag: &'t Tag, used_as: TagUse, _: &Around<'t>) {
        if used_as == TagUse::Block {
            if matches!(&*tag.name, "if" | "unless") && tag.arguments.len() != 1 {
                self.used.push((tag.start, NameUse::Condition(&tag.name)));
            }
            self.compared.extend(comparison(tag));
        }
        let helper = called_helper(tag, used_as);
        self.used
            .extend(helper.map(|name| (tag.start, NameUse::Helper(name))));
        if &*tag.name == "get" {
            let filters = tag.hash.iter().filter_map(|(name, value)| match value {
                Expression::Literal(Literal::Text(filter)) if &**name == "filter" => {
                    Some(&**filter)
                }
                _ => None,
            });
            self.filters.extend(filters);
        }
    }

    fn path(&mut self, path: &'t Path, start: usize, is_used_directly: bool, _: &Around<'t>) {
        if matches!(path.root, PathRoot::Data(_)) {
            self.variables.push(Variable {
                start,
                names: &path.names,
                is_used_directly,
            });
        }
    }
}

/// Returns the name of the helper that a tag calls, if the helper must exist. A call of the context itself, `{{this 1}}`, has no
/// name; it is accepted, but fails during rendering (Ghost 6.65).
fn called_helper(tag: &Tag, used_as: TagUse) -> Option<String> {
    let has_arguments = !tag.arguments.is_empty() || !tag.hash.is_empty();
    let is_called = match tag.kind {
        TagKind::Helper | TagKind::Invalid => true,
        // A block parameter with arguments is a value, but Ghost's check rejects it too.
        TagKind::Value => used_as == TagUse::Argument || has_arguments,
        TagKind::Ambiguous => false,
    };
    let name = match tag.path.root {
        PathRoot::Parameter(..) => tag.name.to_string(),
        PathRoot::Data(_) | PathRoot::Context(_) => tag.path.text(),
    };
    (is_called && !name.is_empty()).then_some(name)
}

/// Returns the offset of a `{{#match a "=" b}}`, the path of a variable in it, and the string that it is compared with.
fn comparison(tag: &Tag) -> Option<(usize, &[Box<str>], &str)> {
    let [one, _, other] = &tag.arguments[..] else {
        return None;
    };
    let compared = compared(one, other).or_else(|| compared(other, one));
    let (names, text) = compared.filter(|_| &*tag.name == "match")?;
    Some((tag.start, names, text))
}

/// Returns the path of a variable and the string that it is compared with.
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
