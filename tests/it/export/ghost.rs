//! Tests of exports in Ghost's format.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use galley::{
    atomic_file::OutputFileError,
    domain::{
        credentials::Credentials, offer::Offer, recommendation::Recommendation, snippet::Snippet,
    },
    export::{self, ExportContext, ExportError},
    id::Id,
    progress::Progress,
    site::EditableRecord,
};
use serde_json::{Value, json};

use super::publication::{Publication, assert_same, url};

/// An export of Ghost: 54 posts and pages, 6 users, 11 tags.
const CORPUS: &str = "tests/it/export/corpus.json";

const FILES: &[(&str, &str)] = &[
    (
        "site.toml",
        "title = \"Harbour\"\noutbound_link_tagging = true\n[[navigation]]\nlabel = \"Home\"\nurl = \"/\"\n",
    ),
    (
        "authors/ada.toml",
        "name = \"Ada\"\nemail = \"ada@harbour.example\"\n",
    ),
    ("authors/ben.toml", "name = \"Ben\"\nbio = \"Rows.\"\n"),
    ("tags/letters.toml", "name = \"Letters\"\n"),
    (
        "tiers/gold.toml",
        "name = \"Gold\"\nmonthly_price = 700\nyearly_price = 7000\ncurrency = \"eur\"\nbenefits = [\"Thanks\", \"A letter\"]\n",
    ),
    (
        "posts/night-ferry.md",
        "+++\ntitle = \"Night ferry\"\ndate = 2025-01-05T10:00:00+01:00\nauthors = [\"Ben\", \"Ada\"]\ntags = [\"Letters\", \"#note\"]\n\
         tiers = [\"gold\"]\nmeta_title = \"At night\"\n+++\n[On](/about/).\n",
    ),
    (
        "pages/about.md",
        "+++\ntitle = \"About\"\ndraft = true\n+++\n",
    ),
];

/// Returns the tables of an export.
fn tables(path: &Path) -> Value {
    let export: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(export["db"][0]["meta"]["version"], "6.65.0");
    export["db"][0]["data"].clone()
}

/// Returns the row of `table` whose `column` is `value`.
fn row<'t>(tables: &'t Value, table: &str, column: &str, value: &str) -> &'t Value {
    let rows = tables[table].as_array().unwrap();
    let found = rows.iter().find(|row| row[column] == value);
    found.unwrap_or_else(|| panic!("{table} has no row with {column} {value}"))
}

#[test]
fn rows_have_the_columns_and_values_of_ghost() {
    let site = Publication::of_files(FILES);
    let tables = tables(&site.to_json("site.json"));
    let post = row(&tables, "posts", "slug", "night-ferry");
    for (column, value) in [
        ("type", json!("post")),
        ("status", json!("published")),
        ("visibility", json!("tiers")),
        ("published_at", json!("2025-01-05T09:00:00.000Z")),
        ("mobiledoc", Value::Null),
        ("featured", json!(false)),
        (
            "html",
            json!("<p><a href=\"__GHOST_URL__/about/\">On</a>.</p>\n"),
        ),
        ("plaintext", json!("On.\n")),
        ("email_recipient_filter", json!("all")),
    ] {
        assert_eq!(post[column], value, "{column}");
    }
    assert!(
        post["lexical"]
            .as_str()
            .unwrap()
            .contains("__GHOST_URL__/about/")
    );
    let page = row(&tables, "posts", "slug", "about");
    assert_eq!(
        (&page["type"], &page["status"]),
        (&json!("page"), &json!("draft"))
    );
    assert_eq!(
        (&page["html"], &page["lexical"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        row(
            &tables,
            "posts_meta",
            "post_id",
            post["id"].as_str().unwrap()
        )["meta_title"],
        "At night"
    );
    assert_eq!(
        row(&tables, "tags", "slug", "hash-note")["visibility"],
        "internal"
    );
    let gold = row(&tables, "products", "slug", "gold");
    assert_eq!(
        (&gold["currency"], &gold["monthly_price"]),
        (&json!("EUR"), &json!(700))
    );
    assert_eq!(
        row(&tables, "settings", "key", "outbound_link_tagging")["value"],
        "true"
    );
    assert_eq!(
        row(&tables, "settings", "key", "navigation")["value"],
        "[{\"label\":\"Home\",\"url\":\"/\"}]"
    );
    assert_eq!(row(&tables, "settings", "key", "logo")["value"], "");
    assert_eq!(
        row(&tables, "settings", "key", "og_image")["value"],
        Value::Null
    );
}

#[test]
fn relations_keep_their_order() {
    let site = Publication::of_files(FILES);
    let tables = tables(&site.to_json("site.json"));
    let tied = |table: &str, to: &str, others: &str| -> Vec<String> {
        let ties = tables[table].as_array().unwrap().iter();
        ties.enumerate()
            .filter(|(_, tie)| {
                tie["post_id"].is_null()
                    || tie["post_id"] == row(&tables, "posts", "slug", "night-ferry")["id"]
            })
            .map(|(_, tie)| {
                let other = row(&tables, others, "id", tie[to].as_str().unwrap());
                format!("{} {}", tie["sort_order"], other["name"].as_str().unwrap())
            })
            .collect()
    };
    assert_eq!(
        tied("posts_authors", "author_id", "users"),
        ["0 Ben", "1 Ada"]
    );
    assert_eq!(
        tied("posts_tags", "tag_id", "tags"),
        ["0 Letters", "1 #note"]
    );
    assert_eq!(tied("posts_products", "product_id", "products"), ["0 Gold"]);
    assert_eq!(
        tied("products_benefits", "benefit_id", "benefits"),
        ["0 Thanks", "1 A letter"]
    );
    for user in tables["users"].as_array().unwrap() {
        let role = row(
            &tables,
            "roles_users",
            "user_id",
            user["id"].as_str().unwrap(),
        );
        assert_eq!(
            row(&tables, "roles", "id", role["role_id"].as_str().unwrap())["name"],
            "Author"
        );
    }
}

#[test]
fn author_without_an_address_gets_a_placeholder_that_imports_ignore() {
    let site = Publication::of_files(FILES);
    let path = site.path_of("site.json");
    let report = site.write_json(&path, false).unwrap();
    assert_eq!(report.remarks.len(), 1);
    assert!(
        report.remarks[0].contains("\"ben\""),
        "{:?}",
        report.remarks
    );
    assert_eq!(
        row(&tables(&path), "users", "slug", "ben")["email"],
        "ben@authors.invalid"
    );
    let imported = Publication::imported(&path);
    let snapshot = imported.site.current();
    assert_eq!(snapshot.catalog.users.by_slug("ben").unwrap().email, None);
    let ada = snapshot.catalog.users.by_slug("ada").unwrap();
    assert_eq!(ada.email.as_deref(), Some("ada@harbour.example"));
}

/// Returns responses without excerpts, whose truncation depends on white space.
fn without_excerpts(responses: &str) -> String {
    let lines = responses.lines().map(|line| {
        let Ok(mut response) = serde_json::from_str::<Value>(line) else {
            return line.to_owned();
        };
        for (_, records) in response.as_object_mut().unwrap() {
            for record in records.as_array_mut().into_iter().flatten() {
                record.as_object_mut().unwrap().remove("excerpt");
            }
        }
        response.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the visible content of the HTML in responses, without differences in notation that an import cannot preserve.
fn visible_content(responses: &str) -> String {
    let without_cards = without_excerpts(responses)
        .replace("<!--kg-card-begin: html-->", "")
        .replace("<!--kg-card-end: html-->", "");
    let mut shown = without_cards
        .replace("\\n", " ")
        .replace(" />", ">")
        .replace("/>", ">");
    for (written, same) in [("&quot;", "\\\""), ("<br> ", "<br>")] {
        shown = shown.replace(written, same);
    }
    let pieces = shown.split(['<', '>', '"']).map(|piece| {
        let words: Vec<&str> = piece.split_whitespace().collect();
        words.join(" ")
    });
    pieces.collect::<Vec<_>>().join("|")
}

#[test]
fn site_of_content_files_round_trips_through_an_export() {
    let first = Publication::served_from("content".as_ref());
    let second = Publication::imported(&first.to_json("site.json"));
    assert_same(
        &visible_content(&second.replies()),
        &visible_content(&first.replies()),
    );
}

#[test]
fn sample_export_round_trips_with_equal_responses() {
    let first = Publication::imported(CORPUS.as_ref());
    let second = Publication::imported(&first.to_json("first.json"));
    assert_same(&second.replies(), &first.replies());
}

#[test]
fn repeated_export_is_byte_identical() {
    let first = Publication::imported(CORPUS.as_ref());
    let first_file = first.to_json("first.json");
    let second = Publication::imported(&first_file);
    let bytes = |path| fs::read_to_string(path).unwrap();
    assert_same(
        &bytes(second.to_json("second.json")),
        &bytes(first_file.clone()),
    );
    assert_same(&bytes(first.to_json("again.json")), &bytes(first_file));
}

#[test]
fn importing_an_export_of_the_same_site_changes_nothing() {
    let site = Publication::imported(CORPUS.as_ref());
    let before = site.replies();
    let mut report = site.import(&site.to_json("site.json"));
    // The first import stores settings that had their default values.
    report.counts.remove("settings");
    for (kind, count) in report.counts {
        assert_eq!((count.added, count.updated), (0, 0), "{kind}");
    }
    assert_same(&site.replies(), &before);
}

#[test]
fn password_hashes_are_exported_for_operators_only() {
    const HASH: &str = "$2a$10$FxFlCsNBgXw42cBj0l1GFu39jffibqTqyAGBz7uCLwetYAdBYJEe6";
    let site = Publication::of_files(FILES);
    let snapshot = site.site.current();
    let ada = snapshot.catalog.users.by_slug("ada").unwrap().id;
    let credentials = Credentials {
        password_hash: HASH.into(),
    };
    site.site
        .write(|transaction| transaction.save_credentials(ada, &credentials))
        .unwrap();
    let (url, uploads) = (url(), site.uploads());
    let written = |with_passwords| {
        let mut bytes = Vec::new();
        let options = export::ghost::Options {
            with_passwords,
            include: &[],
        };
        let circumstances = site.circumstances(&url, &uploads);
        export::ghost::write(&site.site.current(), circumstances, options, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert!(written(true).contains(HASH));
    assert!(!written(false).contains("$2a$"));
}

#[test]
fn export_file_is_private_and_overwrites_only_with_force() {
    let site = Publication::of_files(FILES);
    let path = site.path_of("site.json");
    fs::write(&path, "mine").unwrap();
    let refused = site.write_json(&path, false);
    assert!(
        matches!(refused, Err(ExportError::File(OutputFileError::Exists(_)))),
        "{refused:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    site.write_json(&path, true).unwrap();
    assert_eq!(tables(&path)["posts"].as_array().unwrap().len(), 2);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn failed_export_leaves_no_files() {
    let site = Publication::of_files(FILES);
    let missing = site.path_of("nowhere/site.json");
    let error = site.write_json(&missing, false).unwrap_err().to_string();
    assert!(error.contains("nowhere/site.json"), "{error}");
    let folder = site.path_of("folder");
    fs::create_dir(&folder).unwrap();
    assert!(site.write_json(&folder, true).is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let hidden = fs::read_dir(site.path_of(""))
        .unwrap()
        .filter_map(Result::ok);
    let names: Vec<_> = hidden.map(|entry| entry.file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains(".tmp")),
        "{names:?}"
    );
}

/// Records the calls of a progress report.
#[derive(Default)]
struct ProgressCalls(std::sync::Mutex<Vec<(u64, u64)>>);

impl Progress for ProgressCalls {
    fn advance(&self, done: u64, total: u64) {
        self.0.lock().unwrap().push((done, total));
    }
}

#[test]
fn progress_is_reported_per_post() {
    let site = Publication::imported(CORPUS.as_ref());
    let calls = ProgressCalls::default();
    let (url, uploads) = (url(), site.uploads());
    let circumstances = ExportContext {
        progress: &calls,
        ..site.circumstances(&url, &uploads)
    };
    let options = export::ghost::Options::default();
    let path = site.path_of("site.json");
    export::ghost::write_file(&site.site.current(), circumstances, options, &path, false).unwrap();
    assert_eq!(
        calls.0.into_inner().unwrap(),
        (0..54).map(|done| (done, 54)).collect::<Vec<_>>()
    );
}

/// Returns a site with an offer for its paid tier, and a recommendation.
fn with_offer_and_recommendation() -> (Publication, Offer, Recommendation) {
    let site = Publication::empty();
    let at = "2025-03-01T09:00:00Z".parse().unwrap();
    let tiers = &site.site.current().catalog.tiers;
    let paid = tiers.iter().find(|tier| tier.price.is_some()).unwrap().id;
    let offer = Offer {
        id: Id::derive("test", "offer"),
        name: "Spring".into(),
        code: "spring".into(),
        display_title: Some("For spring".into()),
        display_description: None,
        kind: "fixed".into(),
        cadence: "year".into(),
        amount: 500,
        duration: "repeating".into(),
        duration_in_months: Some(3),
        currency: Some("USD".into()),
        active: false,
        redemption_type: "signup".into(),
        tier: paid,
        created_at: at,
    };
    let recommendation = Recommendation {
        id: Id::derive("test", "recommendation"),
        title: "The other shore".into(),
        description: Some("A good story".into()),
        excerpt: None,
        featured_image: Some("__GHOST_URL__/content/images/shore.png".into()),
        favicon: None,
        url: "https://shore.example/".into(),
        one_click_subscribe: true,
        created_at: at,
        updated_at: at,
    };
    let (a, b) = (offer.clone(), recommendation.clone());
    site.site
        .write_once(|transaction| {
            transaction.save(a)?;
            transaction.save(b)
        })
        .unwrap();
    (site, offer, recommendation)
}

#[test]
fn offers_and_recommendations_round_trip() {
    let (site, offer, recommendation) = with_offer_and_recommendation();
    let export = site.to_json("site.json");
    let tables = tables(&export);
    assert_eq!(
        row(&tables, "offers", "code", "spring")["discount_type"],
        "amount"
    );

    let other = Publication::imported(&export);

    let snapshot = other.site.current();
    assert_eq!(
        snapshot.catalog.offers.by_slug("spring").unwrap().as_ref(),
        &offer
    );
    let known = snapshot.catalog.recommendations.by_slug("shore.example");
    assert_eq!(known.unwrap().as_ref(), &recommendation);
    drop(snapshot);
    // Another import changes nothing.
    let revision = other.site.current().catalog.revision;
    other.import(&export);
    assert_eq!(other.site.current().catalog.revision, revision);
}

#[test]
fn invalid_offers_and_recommendations_are_left_out_with_the_reason() {
    let (site, ..) = with_offer_and_recommendation();
    let export = site.to_json("site.json");
    let mut file: Value = serde_json::from_slice(&fs::read(&export).unwrap()).unwrap();
    let data = &mut file["db"][0]["data"];
    data["offers"][0]["product_id"] = json!("64b0c0ffee0000000000dead");
    data["recommendations"][0]["url"] = json!("javascript:alert(1)");
    fs::write(&export, file.to_string()).unwrap();
    let other = Publication::empty();

    let report = other.import(&export);

    let text = format!("{report:?}");
    assert!(text.contains("its tier is not in the file"), "{text}");
    assert!(
        text.contains("its URL is not an http or https URL"),
        "{text}"
    );
    let catalog = &other.site.current().catalog;
    assert!(catalog.offers.is_empty() && catalog.recommendations.is_empty());
}

#[test]
fn export_has_snippets_settings_and_prices_and_more_on_request() {
    let site = Publication::of_files(FILES);
    site.site
        .write(|transaction| {
            let snippet = Snippet {
                id: Id::derive("test", "snippet"),
                name: "Greeting".into(),
                mobiledoc: "{}".into(),
                lexical: None,
                created_at: transaction.now(),
                updated_at: transaction.now(),
            };
            snippet.save(transaction)?;
            transaction.add_integration("Zap", None).map(drop)
        })
        .unwrap();
    let (url, uploads) = (url(), site.uploads());
    let written = |include: &[String]| -> Value {
        let mut bytes = Vec::new();
        let options = export::ghost::Options {
            include,
            ..export::ghost::Options::default()
        };
        let circumstances = site.circumstances(&url, &uploads);
        export::ghost::write(&site.site.current(), circumstances, options, &mut bytes).unwrap();
        let export: Value = serde_json::from_slice(&bytes).unwrap();
        export["db"][0]["data"].clone()
    };
    let usual = written(&[]);
    assert_eq!(
        row(&usual, "snippets", "name", "Greeting")["mobiledoc"],
        "{}"
    );
    for (key, group, kind) in [
        ("announcement_content", "announcement", "string"),
        ("shared_views", "views", "array"),
        ("labs", "labs", "object"),
        ("mailgun_domain", "email", "string"),
        ("active_theme", "theme", "string"),
    ] {
        let setting = row(&usual, "settings", "key", key);
        assert_eq!(
            (&setting["group"], &setting["type"]),
            (&json!(group), &json!(kind))
        );
    }
    let keys = usual["settings"].as_array().unwrap().iter();
    assert!(
        keys.clone()
            .all(|setting| !setting["key"].as_str().unwrap().contains("secret"))
    );
    let gold = row(&usual, "products", "slug", "gold");
    let price = row(
        &usual,
        "stripe_prices",
        "id",
        gold["yearly_price_id"].as_str().unwrap(),
    );
    assert_eq!(
        (&price["amount"], &price["interval"]),
        (&json!(7000), &json!("year"))
    );
    assert!(usual.get("integrations").is_none());

    let more = written(&[
        "integrations".to_owned(),
        "api_keys".to_owned(),
        "labels".to_owned(),
    ]);
    assert_eq!(row(&more, "integrations", "name", "Zap")["slug"], "zap");
    assert_eq!(more["labels"], json!([]));
    assert!(more.get("api_keys").is_none() && more.get("members").is_none());
}
