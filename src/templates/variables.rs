//! The variables that the templates of a theme name.

use std::collections::BTreeSet;

use super::{error::TemplatePosition, names::Names, set::Templates, template::Template};

/// The variables that the templates of a theme name, and the partials that they use by their names.
#[derive(Debug, Default)]
pub struct Variables {
    /// Those that tags name, in the order of the templates.
    pub used: Vec<VariableUse>,
    /// Those that are compared with texts by `{{#match}}`: the position, the variable, and the text.
    pub compared: Vec<(TemplatePosition, String, String)>,
    /// Those that the filters of `{{#get}}` name.
    pub of_filters: BTreeSet<String>,
}

/// The use of a variable by a tag.
#[derive(Debug)]
pub struct VariableUse {
    /// The position of the tag.
    pub position: TemplatePosition,
    /// The variable without `@`, such as `site.title`.
    pub name: String,
    /// Whether the tag writes it, or is a block that it is given to.
    pub is_used_directly: bool,
}

impl Templates {
    /// Returns the variables that the templates name.
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

/// Returns the variables that a filter names.
fn in_filter(filter: &str) -> impl Iterator<Item = String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    filter.split('@').skip(1).map(move |rest| {
        let end = rest.find(|c| !is_of_name(c));
        rest[..end.unwrap_or(rest.len())].to_owned()
    })
}
