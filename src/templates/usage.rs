//! The tags and variables in the templates of a theme, for checks of their use.

use std::collections::HashSet;

use super::{
    error::TemplatePosition,
    names::{NameUse, Names},
    set::Templates,
    template::Template,
    tree::{Expression, Literal, Path, PathRoot, Tag},
    walk::{Around, TagUse, Visitor, walk},
};

/// A tag or a variable in a template, with the blocks around it.
pub struct Usage<'u> {
    template: &'u Template,
    start: usize,
    tag: Option<(&'u Tag, TagUse)>,
    blocks: &'u [&'u Tag],
    /// The name; that of a variable begins with `@`.
    pub name: String,
}

impl Usage<'_> {
    /// Returns the position of the tag, or of the tag that contains the variable.
    pub fn position(&self) -> TemplatePosition {
        self.template.position(self.start)
    }

    /// Returns whether this is a tag that writes its value.
    pub fn is_output(&self) -> bool {
        matches!(self.tag, Some((_, TagUse::Output)))
    }

    /// Returns whether this is a tag that opens a block.
    pub fn is_block(&self) -> bool {
        matches!(self.tag, Some((_, TagUse::Block)))
    }

    /// Returns whether this is a variable, in any position.
    pub fn is_variable(&self) -> bool {
        self.tag.is_none()
    }

    /// Returns the first argument as written.
    pub fn first_argument(&self) -> Option<String> {
        let (tag, _) = self.tag?;
        written(tag.arguments.first()?)
    }

    /// Returns a named argument as written.
    pub fn named_argument(&self, name: &str) -> Option<String> {
        let (tag, _) = self.tag?;
        let (_, value) = tag.hash.iter().find(|(own, _)| **own == *name)?;
        written(value)
    }

    /// Returns whether this is inside a block with a name.
    pub fn is_in(&self, name: &str) -> bool {
        self.outermost(name).is_some()
    }

    /// Returns the first argument of the outermost enclosing block with a name.
    pub fn argument_of_outermost(&self, name: &str) -> Option<String> {
        written(self.outermost(name)?.arguments.first()?)
    }

    fn outermost(&self, name: &str) -> Option<&Tag> {
        let is_named = |tag: &&&Tag| tag.path.text() == name;
        self.blocks.iter().find(is_named).copied()
    }
}

impl Templates {
    /// Returns the templates and the partials that they use by name, each once, with the names in
    /// them.
    pub(super) fn used(&self) -> Vec<(&Template, Names<'_>)> {
        let mut used = Vec::new();
        let mut next: Vec<&Template> = self.all().collect();
        next.reverse();
        let mut known = HashSet::new();
        while let Some(template) = next.pop() {
            let names = Names::of(template.program());
            let partials = names.used.iter().filter_map(|(_, name)| match name {
                // Each partial is visited once, which also ends circles of partials.
                NameUse::Partial { name, .. } => known.insert(*name).then(|| self.partial(name))?,
                _ => None,
            });
            next.extend(partials);
            used.push((template, names));
        }
        used
    }

    /// Calls `read` for each tag and variable of the templates and of the partials that they use.
    pub fn for_each_usage(&self, read: &mut dyn FnMut(&Usage)) {
        for (template, _) in self.used() {
            let mut usages = Usages { template, read };
            walk(template.program(), &mut usages);
        }
    }
}

struct Usages<'t, 'r> {
    template: &'t Template,
    read: &'r mut dyn FnMut(&Usage),
}

impl<'t> Visitor<'t> for Usages<'t, '_> {
    fn tag(&mut self, tag: &'t Tag, used_as: TagUse, around: &Around<'t>) {
        (self.read)(&Usage {
            template: self.template,
            start: tag.start,
            tag: Some((tag, used_as)),
            blocks: &around.blocks,
            name: tag.path.text(),
        });
    }

    fn path(&mut self, path: &'t Path, start: usize, _: bool, around: &Around<'t>) {
        if matches!(path.root, PathRoot::Data(_)) {
            (self.read)(&Usage {
                template: self.template,
                start,
                tag: None,
                blocks: &around.blocks,
                name: path.text(),
            });
        }
    }
}

/// Returns an argument as written, without quotes; `None` if it is a call.
fn written(argument: &Expression) -> Option<String> {
    match argument {
        Expression::Literal(Literal::Text(text)) => Some(text.to_string()),
        Expression::Literal(Literal::Number(number)) => Some(number.to_string()),
        Expression::Path(path) => Some(path.text()),
        Expression::Literal(_) | Expression::Call(_) => None,
    }
}
