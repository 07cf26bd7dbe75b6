//! Tests that source files have no circular imports, also inside a layer.
//!
//! The imports of a file are read from its `use` declarations and from the paths in its code, such as `super::name()`. A file
//! may use definitions of its parent modules: a folder's own types are in its `mod.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use regex::Regex;
use walkdir::WalkDir;

/// The path of a module, such as `["render", "cards"]`.
type Module = Vec<String>;

/// Comments, strings and characters.
fn opaque() -> Regex {
    Regex::new(
        r##"(?xs) //[^\n]* | /\*.*?\*/ | r\#".*?"\# | r".*?" | "(?:\\.|[^"\\])*" | '(?:\\[^u]|\\u\{\w+\}|[^'\\])'"##,
    )
    .unwrap()
}

/// The code of all files below `src/`, without comments, strings and unit tests, by module.
fn modules() -> BTreeMap<Module, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    let opaque = opaque();
    for entry in WalkDir::new(&root) {
        let path = entry.unwrap().into_path();
        if path.extension().is_none_or(|extension| extension != "rs") || path.ends_with("main.rs") {
            continue;
        }
        let inside = path.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Module = inside
            .iter()
            .map(|name| name.to_str().unwrap().to_owned())
            .collect();
        if module
            .last()
            .is_some_and(|name| name == "mod" || name == "lib")
        {
            module.pop();
        }
        let code = fs::read_to_string(&path).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
        modules.insert(module, opaque.replace_all(code, "\"\"").into_owned());
    }
    assert!(modules.len() > 100, "the sources are not where they were");
    modules
}

/// Returns the single paths of a `use` declaration: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn paths(declaration: &str) -> Vec<String> {
    let Some((prefix, group)) = declaration.split_once('{') else {
        return vec![declaration.to_owned()];
    };
    let group = group.strip_suffix('}').unwrap_or(group);
    let mut members = vec![String::new()];
    let mut depth = 0;
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(String::new());
                continue;
            }
            _ => {}
        }
        members.last_mut().unwrap().push(character);
    }
    members
        .iter()
        .filter(|member| !member.is_empty())
        .flat_map(|member| paths(&format!("{prefix}{member}")))
        .collect()
}

/// Returns the module that `path` leads to or into from `module`, if it is one of this program.
fn target(path: &str, module: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut names = path.split("::").peekable();
    let mut target = module.clone();
    match *names.peek()? {
        "crate" => {
            target.clear();
            names.next();
        }
        "self" => {
            names.next();
        }
        "super" => {
            while names.next_if_eq(&"super").is_some() {
                target.pop();
            }
        }
        first => {
            let child = [module.as_slice(), &[first.to_owned()]].concat();
            modules.get(&child)?;
        }
    }
    for name in names {
        target.push(name.to_owned());
        if !modules.contains_key(&target) {
            target.pop();
            break;
        }
    }
    Some(target)
}

/// Returns the modules that each module imports from, but for those around it.
fn imports(modules: &BTreeMap<Module, String>) -> BTreeMap<&Module, BTreeSet<Module>> {
    let declaration = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);").unwrap();
    let renaming = Regex::new(r"\s+as\s+\w+").unwrap();
    let written = Regex::new(r"\b\w+(?:::\w+)+").unwrap();
    let mut imports = BTreeMap::new();
    for (module, code) in modules {
        let mut named = Vec::new();
        for found in declaration.captures_iter(code) {
            let declaration = renaming.replace_all(&found[1], "");
            let declaration: String = declaration.split_whitespace().collect();
            named.extend(paths(&declaration));
        }
        let code = declaration.replace_all(code, "");
        named.extend(
            written
                .find_iter(&code)
                .map(|path| path.as_str().to_owned()),
        );
        let targets = named
            .iter()
            .filter_map(|path| target(path, module, modules));
        let others = targets.filter(|target| !module.starts_with(target));
        imports.insert(module, others.collect());
    }
    imports
}

/// Removes what imports nothing that is left or is imported by nothing, again and again. What remains is in circles, or
/// between two of them.
fn in_circles(
    mut imports: BTreeMap<&Module, BTreeSet<Module>>,
) -> BTreeMap<&Module, BTreeSet<Module>> {
    loop {
        let before = imports.len();
        let left: BTreeSet<Module> = imports.keys().map(|module| (*module).clone()).collect();
        for targets in imports.values_mut() {
            targets.retain(|target| left.contains(target));
        }
        let imported: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, targets| !targets.is_empty() && imported.contains(*module));
        if imports.len() == before {
            return imports;
        }
    }
}

#[test]
fn source_files_have_no_import_circles() {
    let modules = modules();
    let circles = in_circles(imports(&modules));
    let lines: Vec<String> = circles
        .iter()
        .map(|(module, targets)| {
            let targets: Vec<String> = targets.iter().map(|target| target.join("::")).collect();
            format!("{} uses {}", module.join("::"), targets.join(", "))
        })
        .collect();
    assert!(
        circles.is_empty(),
        "some of these import each other in a circle:\n{}",
        lines.join("\n")
    );
}

#[test]
fn members_of_nested_groups_are_single_paths() {
    assert_eq!(
        paths("crate::{id::Id,site::{self,posts::{A,B}}}"),
        [
            "crate::id::Id",
            "crate::site::self",
            "crate::site::posts::A",
            "crate::site::posts::B"
        ]
    );
}

#[test]
fn import_circles_are_detected_without_false_positives() {
    let opaque = opaque();
    let modules: BTreeMap<Module, String> = [
        ("a", "use super::b::B;"),
        ("b", "use crate::{c::C, d};"),
        ("c", "pub(crate) use super::a::A as Other;"),
        ("d", "use std::fmt;\nuse super::Shared;"),
        (
            "e",
            r#"fn e() { super::f::f("super::a::A", '"') } // super::d::d()"#,
        ),
        ("f", "fn f<'a>(e: &'a crate::e::E) { r(\"crate::a::A\") }"),
        ("g", "fn g() { '\\''; super::d::d() }"),
        ("", "use self::a::A;"),
    ]
    .into_iter()
    .map(|(name, code)| {
        let module = name.split("::").filter(|name| !name.is_empty());
        let code = opaque.replace_all(code, "\"\"").into_owned();
        (module.map(str::to_owned).collect(), code)
    })
    .collect();
    let circles = in_circles(imports(&modules));
    let names: Vec<String> = circles.keys().map(|module| module.join("::")).collect();
    assert_eq!(names, ["a", "b", "c", "e", "f"]);
}
