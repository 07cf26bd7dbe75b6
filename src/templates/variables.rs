//! The variables that the templates of a theme use.

use std::collections::BTreeSet;

use super::{error::TemplatePosition, names::Names, set::Templates, template::Template};

/// The variables in the templates of a theme and in the partials that they use by name.
#[derive(Debug, Default)]
pub struct Variables {
    /// The variables in tags, in the order of the templates.
    pub used: Vec<VariableUse>,
    /// The variables that `{{#match}}` compares with strings: the position, the variable and the
    /// string.
    pub compared: Vec<(TemplatePosition, String, String)>,
    /// The variables in filters of `{{#get}}`.
    pub of_filters: BTreeSet<String>,
}

/// The use of a variable by a tag.
#[derive(Debug)]
pub struct VariableUse {
    /// The position of the tag.
    pub position: TemplatePosition,
    /// The variable without `@`, such as `site.title`.
    pub name: String,
    /// Whether the tag writes the variable, or is a block that has it as an argument.
    pub is_used_directly: bool,
}

impl Templates {
    /// Returns the variables in the templates.
    pub fn variables(&self) -> Variables {
        let mut variables = Variables::default();
        for (template, names) in self.used() {
            variables.add(template, &names);
        }
        variables
    }
}

impl Variables {
    fn add(&mut self, template: &Template, names: &Names) {
        let position = |start| template.position(start);
        let used = names.variables.iter().map(|variable| VariableUse {
            position: position(variable.start),
            name: variable.names.join("."),
            is_used_directly: variable.is_used_directly,
        });
        self.used.extend(used);
        let compared = names.compared.iter();
        self.compared.extend(
            compared
                .map(|(start, names, text)| (position(*start), names.join("."), text.to_string())),
        );
        let of_filters = names.filters.iter().flat_map(|filter| in_filter(filter));
        self.of_filters.extend(of_filters);
    }
}

/// Returns the variables in a filter.
fn in_filter(filter: &str) -> impl Iterator<Item = String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    filter.split('@').skip(1).map(move |rest| {
        let end = rest.find(|c| !is_of_name(c));
        rest[..end.unwrap_or(rest.len())].to_owned()
    })
}
