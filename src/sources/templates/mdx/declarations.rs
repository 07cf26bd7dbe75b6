//! Parses scripts that contain only declarations: an object, or constants with literals.

use std::ops::Range;

use serde_json::{Map, Value};

use super::js::{self, NameValues};

/// A declaration of a script.
#[derive(Debug, PartialEq)]
pub struct Declaration {
    /// Its range in the script.
    pub place: Range<usize>,
    /// The names with their values; `None` if evaluation would be needed.
    pub values: Option<Map<String, Value>>,
}

/// Returns the object of literals that a script exports as a whole, if it is all of the script.
pub fn exported_object(program: &str) -> Option<Map<String, Value>> {
    match js::literal(exported(program.trim()), &NameValues::new()) {
        Some(Value::Object(values)) => Some(values),
        _ => None,
    }
}

/// Returns the declarations of a script, in order.
pub fn of(program: &str) -> Vec<Declaration> {
    let start = program.len() - program.trim_start().len();
    if let Some(values) = exported_object(program) {
        return vec![Declaration {
            place: start..program.trim_end().len(),
            values: Some(values),
        }];
    }
    let mut names = NameValues::new();
    let mut declarations = Vec::new();
    let mut start = 0;
    while start < program.len() {
        let (length, _) = js::statement(&program[start..]);
        let statement = &program[start..start + length];
        let own = statement.trim();
        let is_comment = own.starts_with("//") || own.starts_with("/*") && own.ends_with("*/");
        if !own.is_empty() && !is_comment {
            let begin = start + statement.len() - statement.trim_start().len();
            let values = constant(own, &mut names);
            declarations.push(Declaration {
                place: begin..begin + own.len(),
                values,
            });
        }
        start += length.max(1);
    }
    declarations
}

/// Returns the object that a module exports as a whole.
fn exported(program: &str) -> &str {
    let rest = program.strip_prefix("export default");
    let rest = rest.or_else(|| {
        program
            .strip_prefix("module.exports")?
            .trim_start()
            .strip_prefix('=')
    });
    rest.unwrap_or(program)
}

/// Parses `const name = literal`. Later statements may use the name.
fn constant(statement: &str, names: &mut NameValues) -> Option<Map<String, Value>> {
    let statement = statement.strip_prefix("export ").unwrap_or(statement);
    let (kind, rest) = statement.split_once(char::is_whitespace)?;
    if !["const", "let", "var"].contains(&kind) {
        return None;
    }
    let (name, value) = rest.split_once('=')?;
    // A type may follow the name.
    let name = name.split(':').next().unwrap_or(name).trim();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let value = js::literal(value, names)?;
    if let Value::String(text) = &value {
        names.insert(name.to_owned(), text.clone());
    }
    Some(Map::from_iter([(name.to_owned(), value)]))
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
}
