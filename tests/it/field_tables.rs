//! Tests of the field tables: each text of a record has one row, which requests, filters, content files, exports and imports
//! use.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
};

use galley::{
    catalog::fields::{
        AUTHOR_TEXTS, NEWSLETTER_TEXTS, OFFER_TEXTS, POST_TEXTS, Requests, StoredText, TAG_TEXTS,
        TIER_TEXTS, TextContent, USER_TEXTS,
    },
    domain::{
        UNDATED,
        newsletter::Newsletter,
        offer::Offer,
        post::{Body, Post, PostKind, PostMeta},
        tag::Tag,
        tier::{Price, Tier},
        user::User,
    },
    id::Id,
};
use galley_tests::{Request, TestSite, owner, request::ADMIN, test_site::filtered};
use serde_json::{Map, Value, json};
use uuid::Uuid;
use walkdir::WalkDir;

use crate::{admin_api::first, export::publication::Publication};

type Table<R> = &'static [&'static StoredText<R>];

fn post() -> Post {
    Post {
        slug: "a".into(),
        title: "A".into(),
        authors: vec![Id::derive("user", "ada")],
        ..Post::draft(
            Id::derive("post", "a"),
            Uuid::nil(),
            PostKind::Post,
            UNDATED,
        )
    }
}

fn tag() -> Tag {
    Tag::new(Id::derive("tag", "b"), "b", "B", UNDATED)
}

fn tier() -> Tier {
    let price = Price {
        currency: "eur".into(),
        monthly: 500,
        yearly: 5000,
    };
    Tier {
        price: Some(price),
        ..Tier::new("gold", "Gold")
    }
}

fn newsletter() -> Newsletter {
    Newsletter::new("weekly", "Weekly")
}

fn offer() -> Offer {
    Offer {
        id: Id::derive("offer", "less"),
        name: "Less".into(),
        code: "less".into(),
        display_title: None,
        display_description: None,
        kind: "percent".into(),
        cadence: "month".into(),
        amount: 10,
        duration: "once".into(),
        duration_in_months: None,
        currency: None,
        active: true,
        redemption_type: "signup".into(),
        tier: Id::derive("tier", "gold"),
        created_at: UNDATED,
    }
}

fn user() -> User {
    User::new(Id::derive("user", "ada"), "ada", "Ada", UNDATED)
}

/// Returns a text that no other field has.
fn example<R>(field: &StoredText<R>) -> String {
    let name = field.name;
    match field.content {
        TextContent::Plain(max) if max < 10 => "de".to_owned(),
        TextContent::Image => format!("https://elsewhere.example/{name}.png"),
        TextContent::Page | TextContent::Link | TextContent::Website => {
            format!("https://elsewhere.example/{name}/")
        }
        _ => format!("About {name}"),
    }
}

fn filled<R>(mut record: R, table: Table<R>) -> R {
    for field in table {
        (field.set)(&mut record, Some(example(field).into()));
    }
    record
}

fn texts<R>(record: &R, table: Table<R>) -> BTreeMap<&'static str, Option<String>> {
    let text = |field: &&StoredText<R>| (field.name, field.text(record).map(Into::into));
    table.iter().map(text).collect()
}

fn assert_rows_agree<R: Clone>(empty: &R, table: Table<R>) {
    for field in table {
        let mut record = empty.clone();
        (field.set)(&mut record, Some(example(field).into()));
        for (name, text) in texts(&record, table) {
            let expected = (name == field.name).then(|| example(field));
            assert_eq!(text, expected, "the row `{}` sets `{name}`", field.name);
        }
        (field.set)(&mut record, None);
        assert!(
            texts(&record, table).values().all(Option::is_none),
            "{}",
            field.name
        );
    }
}

#[test]
fn row_reads_what_it_sets_and_no_other_row_does() {
    assert_rows_agree(&post(), POST_TEXTS);
    assert_rows_agree(&tag(), TAG_TEXTS);
    assert_rows_agree(&tier(), TIER_TEXTS);
    assert_rows_agree(&newsletter(), NEWSLETTER_TEXTS);
    assert_rows_agree(&user(), USER_TEXTS);
    assert_rows_agree(&offer(), OFFER_TEXTS);
}

/// Asserts that each field of `record` that is `None` has a row, unless its name is one of `others`.
fn assert_all_have_rows<R: Debug>(record: &R, table: Table<R>, others: &[&str], file: &str) {
    for line in format!("{record:#?}").lines() {
        let Some(name) = line.trim().strip_suffix(": None,") else {
            continue;
        };
        let has_row = table.iter().any(|field| field.name == name);
        assert!(
            has_row || others.contains(&name),
            "`{name}` has no row in src/catalog/fields/{file}"
        );
    }
}

#[test]
fn every_text_has_a_row() {
    let derived_or_of_its_own = [
        "published_at",
        "public_excerpt",
        "reading_time",
        "newsletter",
        "email_segment",
        "source",
        "document_of_file",
    ];
    let post = Post {
        meta: Some(PostMeta::default().into()),
        ..post()
    };
    assert_all_have_rows(&post, POST_TEXTS, &derived_or_of_its_own, "post.rs");
    assert_all_have_rows(&tag(), TAG_TEXTS, &["source"], "content.rs");
    assert_all_have_rows(&tier(), TIER_TEXTS, &["updated_at"], "tier.rs");
    let others = ["sender_email"];
    assert_all_have_rows(&newsletter(), NEWSLETTER_TEXTS, &others, "newsletter.rs");
    assert_all_have_rows(&user(), USER_TEXTS, &["email", "last_seen"], "staff.rs");
    let others = ["duration_in_months", "currency"];
    assert_all_have_rows(&offer(), OFFER_TEXTS, &others, "tier.rs");
}

#[test]
fn texts_round_trip_through_exports() {
    let (post, tag) = (filled(post(), POST_TEXTS), filled(tag(), TAG_TEXTS));
    let (tier, user) = (filled(tier(), TIER_TEXTS), filled(user(), AUTHOR_TEXTS));
    let newsletter = filled(newsletter(), NEWSLETTER_TEXTS);
    let site = Publication::empty();
    let saved = post.clone();
    site.site
        .write_once(|transaction| {
            transaction.save(user.clone())?;
            transaction.save(tag.clone())?;
            transaction.save(tier.clone())?;
            transaction.save(newsletter.clone())?;
            transaction.save_post(saved, Body::default())
        })
        .unwrap();
    for (form, copy) in [
        (
            "Ghost's format",
            Publication::imported(&site.to_json("site.json")),
        ),
        (
            "content files",
            Publication::served_from(&site.to_folder("folder")),
        ),
    ] {
        let catalog = &copy.site.current().catalog;
        let read = catalog.posts.by_slug("a").unwrap();
        assert_eq!(
            texts(&**read, POST_TEXTS),
            texts(&post, POST_TEXTS),
            "{form}"
        );
        let read = catalog.tags.by_slug("b").unwrap();
        assert_eq!(texts(&**read, TAG_TEXTS), texts(&tag, TAG_TEXTS), "{form}");
        let read = catalog.tiers.by_slug("gold").unwrap();
        let read = texts(&**read, TIER_TEXTS);
        assert_eq!(read, texts(&tier, TIER_TEXTS), "{form}");
        let read = catalog.newsletters.by_slug("weekly").unwrap();
        let read = texts(&**read, NEWSLETTER_TEXTS);
        assert_eq!(read, texts(&newsletter, NEWSLETTER_TEXTS), "{form}");
        let read = catalog.users.by_slug("ada").unwrap();
        let read = texts(&**read, USER_TEXTS);
        assert_eq!(read, texts(&user, USER_TEXTS), "{form}");
    }
}

fn assert_api_has<R>(app: &TestSite, resource: &str, own: Value, table: Table<R>) {
    let is_writable = |field: &&&StoredText<R>| field.rules.requests != Requests::Ignored;
    let writable: Vec<_> = table.iter().filter(is_writable).collect();
    let texts = writable
        .iter()
        .map(|field| (field.name.to_owned(), json!(example(field))));
    let mut record: Map<String, Value> = texts.collect();
    record.extend(own.as_object().unwrap().clone());
    let response = app.ask(
        "POST",
        &format!("{resource}/"),
        Some(&json!({ resource: [record] })),
    );
    assert_eq!(response.status, 201, "{}", response.text());
    let added = response.json();
    for field in writable {
        let (name, text) = (field.name, example(field));
        assert_eq!(first(&added, resource)[name], text, "{name} of {resource}");
        for (text, found) in [(&*text, 1), ("something else", 0)] {
            let list = app.read(&filtered(resource, &format!("{name}:'{text}'")));
            let count = list[resource].as_array().unwrap().len();
            assert_eq!(count, found, "{resource} with {name}:'{text}'");
        }
    }
}

#[test]
fn texts_are_written_read_and_filtered_through_the_admin_api() {
    let app = TestSite::builder().start();
    assert_api_has(&app, "posts", json!({ "title": "A" }), POST_TEXTS);
    assert_api_has(&app, "tags", json!({ "name": "B" }), TAG_TEXTS);
    let gold = json!({ "name": "Gold", "currency": "eur" });
    assert_api_has(&app, "tiers", gold, TIER_TEXTS);
    let weekly = json!({ "name": "Weekly" });
    assert_api_has(&app, "newsletters", weekly, NEWSLETTER_TEXTS);
}

#[test]
fn texts_of_users_are_written_and_read_through_the_admin_api() {
    let site = TestSite::staffed();
    let me = site.get_as(&owner(), "/users/me/");
    let id = first(&me, "users")["id"].as_str().unwrap();
    let texts = USER_TEXTS
        .iter()
        .map(|field| (field.name.to_owned(), json!(example(field))));
    let record: Map<String, Value> = texts.collect();
    let change =
        Request::new("PUT", &format!("{ADMIN}/users/{id}/")).json(&json!({ "users": [record] }));
    let response = site.ask_as(&owner(), &change);
    assert_eq!(response.status, 200, "{}", response.text());
    let edited = response.json();
    for field in USER_TEXTS.iter().filter(|field| field.name != "locale") {
        let name = field.name;
        assert_eq!(first(&edited, "users")[name], example(field), "{name}");
    }
}

#[test]
fn text_fields_without_extra_rules_are_named_in_two_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = WalkDir::new(&root)
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    let naming = files.filter(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        // Theme pages give this text a meaning, so it is also named there.
        text.contains("custom_template") && !path.starts_with(root.join("front_end"))
    });
    let mut naming: Vec<_> = naming
        .map(|path| path.strip_prefix(&root).unwrap().to_owned())
        .collect();
    naming.sort();
    assert_eq!(
        naming,
        ["catalog/fields/post.rs", "domain/post.rs"].map(PathBuf::from)
    );
}
