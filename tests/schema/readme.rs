//! README.md: its tables are those of the program.

use galley::{config::OPTIONS, sources::schema::front_matter_keys};

use crate::{assert_committed, read};

#[test]
fn the_tables_name_every_option_and_every_key() {
    let readme = read("README.md");
    let readme = with_section(&readme, "configuration", &options());
    let readme = with_section(&readme, "front matter", &keys());
    assert_committed("README.md", &readme);
}

fn options() -> String {
    let rows = OPTIONS.iter().map(|option| {
        let (key, variable) = (option.key, option.variable());
        format!(
            "| `{key}` | `{variable}` | {} | {} |\n",
            option.default, option.about
        )
    });
    table(
        ["In `galley.toml`", "Variable", "Default", "What it is for"].as_slice(),
        rows,
    )
}

fn keys() -> String {
    let rows = front_matter_keys().into_iter().map(|key| {
        let quoted = |name: &&str| format!("`{name}`");
        let others: Vec<String> = key.other_names.iter().map(quoted).collect();
        format!(
            "| `{}` | {} | {} |\n",
            key.name,
            key.meaning,
            others.join(", ")
        )
    });
    table(["Key", "Meaning", "Also written as"].as_slice(), rows)
}

fn table(columns: &[&str], rows: impl Iterator<Item = String>) -> String {
    let header = columns.join(" | ");
    let rule = "---|".repeat(columns.len());
    format!("| {header} |\n|{rule}\n{}", rows.collect::<String>())
}

/// `readme` with `content` between the two marks of a section.
fn with_section(readme: &str, name: &str, content: &str) -> String {
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n\n"),
        format!("\n<!-- {name}: end -->"),
    );
    let (before, rest) = readme.split_once(&begin).expect(&begin);
    let (_, after) = rest.split_once(&end).expect(&end);
    format!("{before}{begin}{content}{end}{after}")
}
