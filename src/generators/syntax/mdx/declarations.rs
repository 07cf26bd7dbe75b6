//! Parses scripts that contain only declarations: an object, or constants with literals.

use std::{collections::HashMap, iter, ops::Range};

use serde_json::{Map, Value};

use crate::generators::syntax::mdx::{js, js::NameValues};

/// A declaration of a script.
#[derive(Debug, PartialEq)]
pub struct Declaration {
    /// Its range in the script.
    pub range: Range<usize>,
    /// The names with their values; `None` if evaluation would be needed.
    pub values: Option<Map<String, Value>>,
}

/// The object that a script exports as a whole.
#[derive(Debug, Default, PartialEq)]
pub struct ExportedObject {
    /// The keys with literal values.
    pub values: Map<String, Value>,
    /// The other keys, whose values would need evaluation.
    pub computed: Vec<String>,
}

/// Returns the object that a script exports as a whole: `module.exports = {…}`, or a constant that is exported by name.
/// Returns `None` if the script exports something else, such as a function.
pub fn exported_object(program: &str) -> Option<ExportedObject> {
    let mut names = NameValues::new();
    let mut constants = HashMap::new();
    let mut export = None;
    for range in statements(program) {
        let statement = &program[range];
        if let Some(value) = exported(statement) {
            export = Some(value);
        } else if let Some((name, value)) = declared(statement) {
            constants.insert(name, value);
            constant(statement, &mut names);
        }
    }
    let export = export?
        .trim_end_matches([';', ' ', '\n', '\r', '\t'])
        .trim();
    let object = constants.get(export).copied().unwrap_or(export);
    let mut exported = ExportedObject::default();
    for (key, value) in js::entries(object)? {
        // Names must be known here: the name of an imported function would be taken as a text.
        match value.and_then(|value| js::literal_of_known(value, &names)) {
            Some(value) => _ = exported.values.insert(key, value),
            None => exported.computed.push(key),
        }
    }
    Some(exported)
}

/// Returns the declarations of a script, in order.
pub fn of(program: &str) -> Vec<Declaration> {
    let own = program.trim();
    let whole = js::literal(exported(own).unwrap_or(own), &NameValues::new());
    if let Some(Value::Object(values)) = whole {
        let start = program.len() - program.trim_start().len();
        return vec![Declaration {
            range: start..start + own.len(),
            values: Some(values),
        }];
    }
    let mut names = NameValues::new();
    let declarations = statements(program).map(|range| Declaration {
        values: constant(&program[range.clone()], &mut names),
        range,
    });
    declarations.collect()
}

/// Returns the byte ranges of a script's statements, without the comments between them.
fn statements(program: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    iter::from_fn(move || {
        while start < program.len() {
            let (length, _) = js::statement(&program[start..]);
            let statement = &program[start..start + length];
            let own = statement.trim();
            let begin = start + statement.len() - statement.trim_start().len();
            start += length.max(1);
            let is_comment = own.starts_with("//") || own.starts_with("/*") && own.ends_with("*/");
            if !own.is_empty() && !is_comment {
                return Some(begin..begin + own.len());
            }
        }
        None
    })
}

/// Returns the text after the beginning of a default export.
fn exported(statement: &str) -> Option<&str> {
    statement.strip_prefix("export default").or_else(|| {
        statement
            .strip_prefix("module.exports")?
            .trim_start()
            .strip_prefix('=')
    })
}

/// Parses `const name = literal`. Later statements may use the name.
fn constant(statement: &str, names: &mut NameValues) -> Option<Map<String, Value>> {
    let (name, value) = declared(statement)?;
    let value = js::literal(value, names)?;
    if let Value::String(text) = &value {
        names.insert(name.to_owned(), text.clone());
    }
    Some(Map::from_iter([(name.to_owned(), value)]))
}

/// Splits `const name = value`.
fn declared(statement: &str) -> Option<(&str, &str)> {
    let statement = statement.strip_prefix("export ").unwrap_or(statement);
    let (kind, rest) = statement.split_once(char::is_whitespace)?;
    if !["const", "let", "var"].contains(&kind) {
        return None;
    }
    let (name, value) = rest.split_once('=')?;
    // In TypeScript, a type may follow the name.
    let name = name.split(':').next().unwrap_or(name).trim();
    (!name.is_empty() && name.chars().all(js::is_in_name)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(program: &str) -> Vec<Option<Value>> {
        let declarations = of(program).into_iter();
        declarations
            .map(|declaration| declaration.values.map(Value::Object))
            .collect()
    }

    #[test]
    fn constants_and_objects_are_read_without_evaluation() {
        assert_eq!(
            values(
                "// Text.\nconst title = \"A\";\n\nconst nav = {\n\tkey: title,\n\torder: 3\n};\n"
            ),
            [
                Some(json!({"title": "A"})),
                Some(json!({"nav": {"key": "A", "order": 3}}))
            ]
        );
        for program in [
            "{\n  title: 'A',\n}\n",
            "export default { title: 'A' };",
            "module.exports = { title: `A` }",
        ] {
            assert_eq!(values(program), [Some(json!({"title": "A"}))], "{program}");
        }
        assert_eq!(
            values("const date = today();\nfunction f() {\n  return 1;\n}\nlet draft = true\n"),
            [None, None, Some(json!({"draft": true}))]
        );
        assert_eq!(values("{ title: f() }"), [None]);
        assert_eq!(values(" \n"), []);
    }

    #[test]
    fn literals_of_an_exported_object_are_separated_from_what_needs_evaluation() {
        let object = |literals: Value, computed: &[&str]| {
            let Value::Object(values) = literals else {
                panic!("{literals}")
            };
            Some(ExportedObject {
                values,
                computed: computed.iter().map(|key| (*key).to_owned()).collect(),
            })
        };
        for (program, expected) in [
            (
                "const { DateTime } = require('luxon')\nconst kind = 'post'\n\n// Of all.\nmodule.exports = {\n  tags: [kind, \"x\"], // both\n  \
                 permalink: (data) => `/${data.slug}/`,\n  'layout': 'base, wide',\n  eleventyComputed: { title: data => data.a },\n  year: DateTime.now(),\n  \
                 ...others,\n  async image(data) { return data.b },\n}\n",
                object(
                    json!({"tags": ["post", "x"], "layout": "base, wide"}),
                    &[
                        "permalink",
                        "eleventyComputed",
                        "year",
                        "...others",
                        "image",
                    ],
                ),
            ),
            (
                "const data = { a: 1, kind, b: true };\nexport default data;\n",
                object(json!({"a": 1, "b": true}), &["kind"]),
            ),
            ("export default {};", object(json!({}), &[])),
            ("module.exports = () => ({ a: 1 })", None),
            (
                "export default async function () {\n  return { a: 1 };\n}\n",
                None,
            ),
            ("console.log(1)", None),
        ] {
            assert_eq!(exported_object(program), expected, "{program}");
        }
    }
}
