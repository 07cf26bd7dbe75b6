//! Tests that code which reads or changes a site compares user-supplied text with `collation`.

use std::{collections::BTreeSet, fs, path::Path};

use regex::Regex;
use walkdir::WalkDir;

/// Folders whose code filters, sorts, finds and validates texts.
const FOLDERS: [&str; 7] = [
    "admin", "api", "catalog", "delivery", "export", "import", "site",
];

/// Permitted plain comparisons: the file, the code, and the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "admin/posts/apply.rs",
        "**slug != *post.slug",
        "whether it changed",
    ),
    (
        "admin/offers.rs",
        "*code != offer.code",
        "whether it changed",
    ),
    (
        "admin/users.rs",
        "*slug != &*known.slug",
        "whether it changed",
    ),
    (
        "admin/users.rs",
        "**email != known.email",
        "whether it changed",
    ),
    (
        "admin/notifications.rs",
        "known.name == name",
        "notices of the program, not of people",
    ),
    (
        "catalog/keys.rs",
        "&*known.name == name_or_id",
        "integrations may have names that are alike",
    ),
    ("catalog/order.rs", "a.name == b.name", "names of fields"),
    (
        "catalog/records.rs",
        "known.title() != record.title",
        "whether it changed",
    ),
    (
        "catalog/records.rs",
        "record.title() == name",
        "an exact match comes first",
    ),
    (
        "catalog/members.rs",
        "*member.email == *email",
        "an exact match comes first",
    ),
    (
        "import/ghost/integrations.rs",
        "&*known.name == name",
        "integrations may have names that are alike",
    ),
    (
        "import/folder/plan.rs",
        "*post.title == *requested.title",
        "whether it changed",
    ),
    (
        "import/ghost/second_pass.rs",
        "slug != *post.slug",
        "whether it changed",
    ),
    (
        "import/members/names.rs",
        "*record.name == *word",
        "an exact match comes first",
    ),
    (
        "import/members/names.rs",
        "*record.slug == *word",
        "an exact match comes first",
    ),
    (
        "site/integrations.rs",
        "&*existing.name == name",
        "integrations may have names that are alike",
    ),
    (
        "site/integrations.rs",
        "&*existing.slug == slug",
        "slugs are made by the program",
    ),
];

/// Returns the pattern of a comparison with a text of a record.
fn comparison() -> Regex {
    let record = "(?:post|page|tag|label|user|author|member|newsletter|offer|snippet|tier|record|self|known|existing|other|holder|one|a|b)";
    let text = format!(r"[*&]*{record}\.(?:name|title|slug|email|code)\b(?:\(\))?");
    let operand = r"[*&]*[\w.]+(?:\(\))?";
    Regex::new(&format!(
        r"\(&?{text}, &?{text}\) != \(&?{text}, &?{text}\)|{text} (?:==|!=) {operand}|{operand} (?:==|!=) {text}|{text}\.cmp\(|\({text}, [\w.]+\)\.cmp"
    ))
    .unwrap()
}

#[test]
fn user_text_is_compared_with_collation() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let comparison = comparison();
    let mut unused: BTreeSet<_> = ALLOWED
        .iter()
        .map(|(file, code, _)| (*file, *code))
        .collect();
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in WalkDir::new(source.join(folder)) {
            let path = entry.unwrap().into_path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let file = path.strip_prefix(&source).unwrap().to_str().unwrap();
            let code = fs::read_to_string(&path).unwrap();
            let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
            for compared in comparison.find_iter(code).map(|compared| compared.as_str()) {
                let allowed = ALLOWED
                    .iter()
                    .find(|(known, code, _)| *known == file && compared.contains(code));
                match allowed {
                    Some((file, code, _)) => drop(unused.remove(&(*file, *code))),
                    None => found.push(format!("{file}: {compared}")),
                }
            }
        }
    }
    assert!(found.is_empty(), "plain comparisons: {found:#?}");
    assert!(
        unused.is_empty(),
        "permitted, but not in the code: {unused:?}"
    );
}
