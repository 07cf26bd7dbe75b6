//! Parses `import` and `export` statements.

use serde_json::{Map, Value};

use crate::generators::syntax::{
    Environment,
    mdx::{
        js::{self, NameValues},
        tokens::{MdxToken, MdxTokenKind},
    },
    setting_text::scalar_text,
};

/// Names of exports that are front matter.
const META: [&str; 4] = ["meta", "metadata", "frontmatter", "frontMatter"];

/// The statements of a text.
#[derive(Default)]
pub struct Module {
    /// The values of names: strings, and the paths of imported files.
    pub names: NameValues,
    /// The exported front matter.
    pub meta: Map<String, Value>,
    /// The byte offsets and names of dropped exports that contain text.
    pub left_out: Vec<(usize, String)>,
}

impl Module {
    /// Parses the statements. `properties` are predefined names.
    pub fn of(
        text: &str,
        tokens: &[MdxToken<'_>],
        environment: &Environment<'_>,
        properties: NameValues,
    ) -> Self {
        let mut module = Self {
            names: properties,
            ..Self::default()
        };
        // Astro calls the front matter of a document `frontmatter`, and Docusaurus `frontMatter`.
        for name in ["frontmatter", "frontMatter", "page"] {
            module.add_fields(name, &environment.page);
        }
        let statements = tokens
            .iter()
            .filter(|token| matches!(token.kind, MdxTokenKind::Statement));
        for token in statements {
            let statement = &text[token.start..token.end];
            match statement.strip_prefix("import ") {
                Some(rest) => module.import(rest),
                None => module.export(token.start, statement),
            }
        }
        module
    }

    /// Parses `import name from 'path'`. Names in braces are parts of modules, whose values are unknown.
    fn import(&mut self, statement: &str) {
        let Some((names, path)) = statement.split_once(" from ") else {
            return;
        };
        let Some(Value::String(path)) = js::literal(path, &self.names) else {
            return;
        };
        let name = names.split(',').next().unwrap_or(names).trim();
        let is_name =
            |character: char| character.is_alphanumeric() || character == '_' || character == '$';
        if !name.is_empty() && name.chars().all(is_name) {
            self.names.insert(name.to_owned(), path);
        }
    }

    fn export(&mut self, start: usize, statement: &str) {
        let rest = statement
            .strip_prefix("export ")
            .unwrap_or(statement)
            .trim_start();
        let Some((kind, rest)) = rest.split_once(char::is_whitespace) else {
            return;
        };
        // These exports are layouts, types and modules, which show nothing.
        if kind == "default"
            || kind.starts_with(['{', '*'])
            || kind == "type"
            || kind == "interface"
        {
            return;
        }
        let name_length = rest
            .find(|character: char| !(character.is_alphanumeric() || "_$".contains(character)))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_length);
        let value = if ["const", "let", "var"].contains(&kind) {
            // In TypeScript, a type may precede the value.
            after
                .split_once('=')
                .and_then(|(_, value)| js::literal(value, &self.names))
        } else {
            None
        };
        match value {
            Some(Value::Object(map)) => {
                self.add_fields(name, &map);
                if META.contains(&name) {
                    self.meta.extend(map);
                }
            }
            Some(value) => {
                if let Some(text) = scalar_text(&value) {
                    self.names.insert(name.to_owned(), text);
                }
            }
            // Only an export that may contain visible text is reported.
            None if statement.contains(['"', '\'', '`', '<']) => {
                self.left_out.push((start, name.to_owned()));
            }
            None => {}
        }
    }

    fn add_fields(&mut self, name: &str, map: &Map<String, Value>) {
        for (key, value) in map {
            if let Some(text) = scalar_text(value) {
                self.names.insert(format!("{name}.{key}"), text);
            }
        }
    }

    /// Evaluates an expression; `None` if its value is unknown.
    pub fn value(&self, expression: &str) -> Option<Value> {
        let expression = expression.trim();
        let is_name = |character: char| character.is_alphanumeric() || "_$.".contains(character);
        let is_word = expression
            .starts_with(|character: char| character.is_alphabetic() || character == '_')
            && expression.chars().all(is_name);
        if is_word && !["true", "false", "null", "undefined"].contains(&expression) {
            let bare = expression.strip_suffix(".src").unwrap_or(expression);
            let meant = self
                .names
                .get(expression)
                .or_else(|| self.names.get(bare))?;
            return Some(Value::String(meant.clone()));
        }
        js::literal(expression, &self.names)
    }
}
