//! Tests that the tables in the documentation match the tables of the program.

use galley::{
    api::{permissions, public_paths::PUBLIC_PATHS},
    cli::variables::{PREFIXES, ROWS},
    config::OPTIONS,
    content_files::schema::front_matter_keys,
    doctor::CHECKS,
    domain::{permission::Right, role::Role},
    generators::{GENERATORS, SettingRow, SettingUse},
    metrics::FAMILIES,
};

use url::form_urlencoded;

use crate::{assert_committed, read, server::Server};

#[test]
fn documented_tables_list_every_option_key_and_permission() {
    assert_table("docs/configuration.md", "configuration", &options());
    assert_table("docs/monitoring.md", "metrics", &metrics());
    assert_table("docs/writing-content.md", "front matter", &keys());
    assert_table("docs/admin-api.md", "rights", &rights());
    assert_table("docs/troubleshooting.md", "checks", &checks());
    assert_table("docs/proxy.md", "public paths", &public_paths());
    assert_table("docs/static-builds.md", "exec variables", &variables());
}

/// Profiles that do not belong to a generator.
const WITHOUT_PAGES: [&str; 2] = ["galley", "plain"];

#[test]
fn every_generator_has_a_page_with_its_settings() {
    for generator in GENERATORS {
        let (name, rows) = (generator.profile().name, generator.setting_rows());
        if WITHOUT_PAGES.contains(&name) {
            assert!(rows.is_empty(), "{name}");
            continue;
        }
        let page = format!("docs/generators/{name}.md");
        assert!(read(&page).starts_with("# "), "{page}");
        if !rows.is_empty() {
            assert_table(&page, &format!("{name} settings"), &settings(rows));
        }
    }
}

fn settings(rows: &[SettingRow]) -> String {
    let rows = rows.iter().map(|row| {
        let usage = match row.usage {
            SettingUse::Read => "read".to_owned(),
            SettingUse::NoEffect => "no effect".to_owned(),
            SettingUse::Reported { instead, .. } => format!("reported: {instead}"),
        };
        format!("| `{}` | {usage} |\n", row.key)
    });
    table(["Setting", "In Galley"].as_slice(), rows)
}

/// Compares the table between the two markers `name` of a page with `content`.
fn assert_table(page: &str, name: &str, content: &str) {
    assert_committed(page, &with_section(&read(page), name, content));
}

fn options() -> String {
    let rows = OPTIONS.iter().map(|option| {
        let (key, variable) = (option.key, option.variable());
        let reload = if option.is_live { "yes" } else { "" };
        format!(
            "| `{key}` | `{variable}` | {} | {reload} | {} |\n",
            option.default, option.about
        )
    });
    table(
        [
            "In `galley.toml`",
            "Variable",
            "Default",
            "Reload",
            "Meaning",
        ]
        .as_slice(),
        rows,
    )
}

fn checks() -> String {
    let rows = CHECKS
        .iter()
        .map(|check| format!("| {} | {} |\n", check.name, check.about));
    table(["Check", "Requirement"].as_slice(), rows)
}

fn metrics() -> String {
    let rows = FAMILIES.iter().map(|family| {
        format!(
            "| `{}` | {} | {} |\n",
            family.name,
            family.kind.name(),
            family.about
        )
    });
    table(["Metric", "Type", "Meaning"].as_slice(), rows)
}

fn keys() -> String {
    let keys = front_matter_keys();
    let rows = keys.iter().map(|key| {
        format!(
            "| `{}` | {} | {} | {} | {} |\n",
            key.name, key.value_type, key.limit, key.default, key.meaning
        )
    });
    let columns = ["Key", "Type", "Limit", "Default", "Meaning"];
    let described = table(columns.as_slice(), rows);
    let renamed = keys.iter().filter(|key| !key.other_names.is_empty());
    let rows = renamed.map(|key| {
        let quoted = |name: &&str| format!("`{name}`");
        let others: Vec<String> = key.other_names.iter().map(quoted).collect();
        format!("| `{}` | {} |\n", key.name, others.join(", "))
    });
    let names = table(["Key", "Also written as"].as_slice(), rows);
    format!(
        "{described}\nHugo, Zola, Jekyll, Eleventy and Astro use other names for some fields; a dot is a path into a table:\n\n{names}"
    )
}

fn public_paths() -> String {
    let rows = PUBLIC_PATHS
        .iter()
        .map(|path| format!("| `{}` | {} |\n", path.pattern, path.about));
    table(["Path", "Purpose"].as_slice(), rows)
}

fn variables() -> String {
    let quoted = |names: &[&str]| {
        let names = names.iter().map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let rows = ROWS
        .iter()
        .map(|row| format!("| {} | {} |\n", row.about, quoted(row.names)));
    let table = table(["Meaning", "Variables"].as_slice(), rows);
    let prefixes = quoted(PREFIXES);
    format!(
        "{table}\nThe names in the first two rows that begin with `GHOST_`, except `GHOST_ADMIN_API_URL`, are also set with each of\n\
         these prefixes, since tools pass only such variables on to pages:\n{prefixes}.\n"
    )
}

fn rights() -> String {
    let words = |right| match right {
        Right::Yes => "yes",
        Right::No => "",
        Right::Own => "own",
        Right::OwnDrafts => "own drafts",
        Right::Below => "below",
        Right::Writers => "writers",
        Right::SessionOnly => "session only",
        Right::BeyondSpecification => "wide",
    };
    let rows = permissions().into_values().map(|permission| {
        let of_roles = Role::ALL.map(|role| words(permission.of_role(role)));
        format!(
            "| {}: {} | {} | {} |\n",
            permission.resource,
            permission.act,
            of_roles.join(" | "),
            words(permission.of_integrations())
        )
    });
    let roles = Role::ALL.map(Role::name);
    table(
        &[&["Action"], roles.as_slice(), &["Integration"]].concat(),
        rows,
    )
}

fn table(columns: &[&str], rows: impl Iterator<Item = String>) -> String {
    let header = columns.join(" | ");
    let rule = "---|".repeat(columns.len());
    format!("| {header} |\n|{rule}\n{}", rows.collect::<String>())
}

/// Returns `page` with `content` between the two marks of a section.
fn with_section(page: &str, name: &str, content: &str) -> String {
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n\n"),
        format!("\n<!-- {name}: end -->"),
    );
    let (before, rest) = page.split_once(&begin).expect(&begin);
    let (_, after) = rest.split_once(&end).expect(&end);
    format!("{before}{begin}{content}{end}{after}")
}

#[test]
fn documented_filters_match_posts_of_the_sample_site() {
    let page = read("docs/content-api.md");
    let filters = filters(&page);
    assert!(filters.len() > 15, "{filters:?}");
    let server = Server::of_the_sample_site();
    for filter in filters {
        let encoded: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
        let response = server.get(&format!("/content/posts/?fields=slug&filter={encoded}"));
        assert_eq!(response.status, 200, "{filter}: {}", response.text());
        let found = response.json()["meta"]["pagination"]["total"]
            .as_u64()
            .unwrap();
        // Filters relative to the current time find fewer posts as the sample site gets older.
        assert!(
            found > 0 || filter.contains("now"),
            "{filter} matches no posts"
        );
    }
}

/// Returns the filters in the first column of the table of filters.
fn filters(page: &str) -> Vec<&str> {
    let (_, table) = page.split_once("<!-- filters: begin -->").unwrap();
    let (table, _) = table.split_once("<!-- filters: end -->").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split(" | ").next().unwrap());
    cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}
