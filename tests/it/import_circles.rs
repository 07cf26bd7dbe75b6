//! Tests that source files have no circular imports, even within a layer.
//!
//! The imports of a file are its `use` declarations and the paths in its code, such as `super::name()`. A re-exported name
//! counts as an import of the file that defines it. A `mod.rs` only declares and re-exports: no file of its folder uses a
//! definition in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use regex::Regex;
use walkdir::WalkDir;

/// The path of a module, such as `["render", "cards"]`.
type Module = Vec<String>;

/// The code of modules, without comments, strings and unit tests.
type Modules = BTreeMap<Module, String>;

/// Returns the pattern of comments, strings and character literals.
fn opaque() -> Regex {
    Regex::new(
        r##"(?xs) //[^\n]* | /\*.*?\*/ | r\#".*?"\# | r".*?" | "(?:\\.|[^"\\])*" | '(?:\\[^u]|\\u\{\w+\}|[^'\\])'"##,
    )
    .unwrap()
}

/// Returns the code of all files below `src/`.
fn modules() -> Modules {
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
    assert!(modules.len() > 100, "the sources were not found");
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

/// The names after a module in a path: `SiteView` in `crate::site::SiteView`.
type Names = Vec<String>;

/// The paths that the code of a module uses, and the names that it imports. Files of its folder can use these names as
/// re-exports.
#[derive(Default)]
struct Paths {
    used: Vec<(Module, Names)>,
    imported: BTreeMap<String, (Module, Names)>,
}

/// Returns the module where `path`, used in `module`, begins, and the names after it; `None` if it is not a path of this crate.
fn beginning(path: &str, module: &Module, modules: &Modules) -> Option<(Module, Names)> {
    let mut names = path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let mut start = module.clone();
    match &*names[0] {
        "crate" => {
            start.clear();
            names.remove(0);
        }
        "self" => drop(names.remove(0)),
        "super" => {
            while names.first().is_some_and(|name| name == "super") {
                names.remove(0);
                start.pop();
            }
        }
        first => {
            let child = [module.as_slice(), &[first.to_owned()]].concat();
            modules.get(&child)?;
        }
    }
    Some((start, names))
}

/// Returns the paths of all modules.
fn paths_of(modules: &Modules) -> BTreeMap<&Module, Paths> {
    let declaration = Regex::new(r"(?m)^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);").unwrap();
    let renaming = Regex::new(r"\s+as\s+").unwrap();
    let written = Regex::new(r"\b\w+(?:::\w+)+").unwrap();
    let mut all = BTreeMap::new();
    for (module, code) in modules {
        let mut of_module = Paths::default();
        for found in declaration.captures_iter(code) {
            let declaration = renaming.replace_all(&found[2], "=");
            let declaration: String = declaration.split_whitespace().collect();
            for path in paths(&declaration) {
                let path = path.replace("::self", "");
                let (path, alias) = path.split_once('=').unwrap_or((&path, ""));
                let Some(target) = beginning(path, module, modules) else {
                    continue;
                };
                // A folder does not depend on its files because it re-exports their names.
                let is_own = target.0.starts_with(module);
                if found.get(1).is_none() || !is_own {
                    of_module.used.push(target.clone());
                }
                let name = path.rsplit("::").next().unwrap();
                let name = if alias.is_empty() { name } else { alias };
                of_module.imported.insert(name.to_owned(), target);
            }
        }
        let code = declaration.replace_all(code, "");
        let named = written.find_iter(&code).map(|path| path.as_str());
        let named = named.filter_map(|path| beginning(path, module, modules));
        of_module.used.extend(named);
        all.insert(module, of_module);
    }
    all
}

/// Returns the module that defines the item at a path, after following re-exports, and the remaining names.
fn definition((start, names): &(Module, Names), all: &BTreeMap<&Module, Paths>) -> (Module, Names) {
    let mut module = start.clone();
    for (position, name) in names.iter().enumerate() {
        let child = [module.as_slice(), std::slice::from_ref(name)].concat();
        if all.contains_key(&child) {
            module = child;
        } else if let Some((start, imported)) = all[&module].imported.get(name) {
            let names = [imported, &names[position + 1..]].concat();
            return definition(&(start.clone(), names), all);
        } else {
            return (module, names[position..].to_vec());
        }
    }
    (module, Names::new())
}

/// Returns the modules that each module imports from, except its parents.
fn imports(modules: &Modules) -> BTreeMap<&Module, BTreeSet<Module>> {
    let all = paths_of(modules);
    let targets = |module: &Module| {
        let used = all[module].used.iter();
        let targets = used.map(|path| definition(path, &all).0);
        targets
            .filter(|target| !module.starts_with(target))
            .collect()
    };
    modules
        .keys()
        .map(|module| (module, targets(module)))
        .collect()
}

/// Repeatedly removes modules that import no remaining module or are imported by none. The remaining modules are in circles or
/// between circles.
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
        "circular imports among these modules:\n{}",
        lines.join("\n")
    );
}

#[test]
fn a_mod_rs_defines_nothing_that_files_of_its_folder_use() {
    let defined = Regex::new(
        r"(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:fn|struct|enum|trait|type|const|static|union)\s+(\w+)",
    )
    .unwrap();
    let modules = modules();
    let all = paths_of(&modules);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, paths) in &all {
        for path in &paths.used {
            let (parent, names) = definition(path, &all);
            let is_parent = module.starts_with(&parent) && **module != parent;
            if !is_parent || !is_mod_rs(&parent) {
                continue;
            }
            let mut definitions = defined.captures_iter(&modules[&parent]);
            if definitions
                .any(|definition| names.first().is_some_and(|name| *name == definition[1]))
            {
                let of_parent = found.entry(parent.join("/")).or_default();
                of_parent.insert(format!("{} (in {})", names[0], module.join("::")));
            }
        }
    }
    assert!(
        found.is_empty(),
        "move these definitions to files of their folder, and re-export them: {found:#?}"
    );
}

fn is_mod_rs(module: &Module) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    !module.is_empty() && root.join(module.join("/")).join("mod.rs").exists()
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
    let modules: Modules = [
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
        (
            "h",
            "mod i;\nmod j;\npub use self::i::I as Renamed;\npub use j::J;",
        ),
        ("h::i", "use super::J;"),
        ("h::j", "fn j() -> crate::h::Renamed {}"),
        ("k", "use crate::h::{self, J};"),
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
    assert_eq!(names, ["a", "b", "c", "e", "f", "h::i", "h::j"]);
}
