//! Tests of the changes that the feed reports, and that it reports no private ones.

use galley::{
    domain::{
        post::{Post, PostKind, Status, Visibility},
        tag::Tag,
        user::User,
    },
    id::Id,
};
use galley_tests::{TestSite, wait_until};
use serde_json::json;

use super::{ada, body, changes_since, long_ago, post, revision, save, served_site, tag, write};

#[test]
fn feed_reports_publication_change_and_removal_of_a_post_with_its_author() {
    let app = served_site();
    let start = revision(&app);
    let record = post(PostKind::Post, "letter", &[]);

    save(app.site(), record.clone());
    let published = revision(&app);
    assert_eq!(
        changes_since(&app, start),
        ["published posts letter", "published authors ada"]
    );

    let titled = Post {
        title: "A letter".into(),
        ..record.clone()
    };
    save(app.site(), titled);
    assert_eq!(changes_since(&app, published), ["changed posts letter"]);
    // For a client that does not have the record, it is new, however often it has changed since.
    assert_eq!(
        changes_since(&app, start),
        ["published authors ada", "published posts letter"]
    );

    let changed = revision(&app);
    write(app.site(), |transaction| transaction.delete_post(record.id));
    assert_eq!(
        changes_since(&app, changed),
        ["removed posts letter", "removed authors ada"]
    );
}

#[test]
fn entry_has_url_and_time_of_change() {
    let app = served_site();
    let start = revision(&app);
    save(app.site(), post(PostKind::Page, "about", &[]));
    let response = app.json(&format!("changes/?since={start}"));
    assert_eq!(
        response,
        json!({
            "changes": [{
                "revision": start + 1,
                "resource": "pages",
                "change": "published",
                "id": Id::derive("post", "about").to_string(),
                "slug": "about",
                "url": "https://harbour.example/about/",
                "previous": [],
                "updated_at": "2025-01-01T10:00:00.000Z",
            }],
            "meta": {"revision": start + 1, "reset": false, "next": null},
        })
    );
}

#[test]
fn change_of_only_the_body_is_reported() {
    let app = served_site();
    let record = post(PostKind::Post, "letter", &[]);
    save(app.site(), record.clone());
    let before = revision(&app);
    // The excerpt, which is a part of the record, is the same.
    let long = |end: &str| body(&format!("{} {end}", "word ".repeat(400)));
    write(app.site(), |transaction| {
        transaction.save_post(record.clone(), long("one"))
    });
    let first = revision(&app);
    write(app.site(), |transaction| {
        transaction.save_post(record.clone(), long("two"))
    });
    assert_eq!(changes_since(&app, first), ["changed posts letter"]);
    assert!(first > before);
    let second = revision(&app);
    write(app.site(), |transaction| {
        transaction.save_post(record, long("two"))
    });
    assert_eq!(revision(&app), second, "nothing changed");
}

#[test]
fn moved_record_has_its_previous_url() {
    let app = served_site();
    let record = post(PostKind::Post, "first", &[]);
    let renamed = |slug: &str| Post {
        slug: slug.into(),
        ..record.clone()
    };
    save(app.site(), record.clone());
    let start = revision(&app);
    save(app.site(), renamed("second"));
    let second = revision(&app);
    save(app.site(), renamed("third"));
    save(
        app.site(),
        Post {
            featured: true,
            ..renamed("third")
        },
    );

    let previous = |since: u64| {
        let response = app.json(&format!("changes/?since={since}"));
        assert_eq!(response["changes"][0]["slug"], "third");
        response["changes"][0]["previous"].clone()
    };
    let url_of =
        |slug: &str| json!({"slug": slug, "url": format!("https://harbour.example/{slug}/")});
    assert_eq!(previous(start), json!([url_of("first"), url_of("second")]));
    assert_eq!(
        previous(second),
        previous(start),
        "the same previous URLs in both responses"
    );

    // A URL that another record uses by now is not reported as removed.
    let newcomer = Post {
        slug: "second".into(),
        ..post(PostKind::Page, "newcomer", &[])
    };
    save(app.site(), newcomer);
    assert_eq!(previous(start), json!([url_of("first")]));
    // Nor is a URL to which the record itself has returned.
    save(app.site(), renamed("first"));
    let response = app.json(&format!("changes/?since={start}"));
    let back = response["changes"].as_array().unwrap();
    let back = back.iter().find(|entry| entry["slug"] == "first").unwrap();
    assert_eq!(back["previous"], json!([url_of("third")]));
}

#[test]
fn removed_record_whose_url_was_reused_has_no_url() {
    let app = served_site();
    let record = post(PostKind::Post, "letter", &[]);
    save(app.site(), record.clone());
    let start = revision(&app);
    let heir = Post {
        slug: "letter".into(),
        ..post(PostKind::Post, "heir", &[])
    };
    write(app.site(), |transaction| {
        transaction.delete_post(record.id)?;
        transaction.save_post(heir, body("text"))
    });
    let response = app.json(&format!("changes/?since={start}"));
    let entries = response["changes"].as_array().unwrap();
    let removed = entries.iter().find(|entry| entry["change"] == "removed");
    let removed = removed.unwrap();
    assert_eq!(
        (&removed["slug"], &removed["url"]),
        (&json!("letter"), &json!(null))
    );
}

#[test]
fn post_converted_to_a_page_is_removed_and_published() {
    let app = served_site();
    let record = post(PostKind::Post, "letter", &[]);
    save(app.site(), record.clone());
    let start = revision(&app);
    save(
        app.site(),
        Post {
            kind: PostKind::Page,
            ..record
        },
    );
    assert_eq!(
        changes_since(&app, start),
        [
            "removed posts letter",
            "published pages letter",
            "removed authors ada"
        ]
    );
}

#[test]
fn tag_is_published_with_its_first_post_and_removed_with_its_last() {
    let app = served_site();
    let start = revision(&app);
    write(app.site(), |transaction| transaction.save(tag("sea")));
    assert_eq!(revision(&app), start, "a tag without posts is not shown");
    let record = post(PostKind::Post, "letter", &["sea"]);
    save(app.site(), record.clone());
    assert!(changes_since(&app, start).contains(&"published tags sea".to_owned()));

    let tagged = revision(&app);
    let described = Tag {
        description: Some("Salt water".into()),
        ..tag("sea")
    };
    write(app.site(), |transaction| transaction.save(described));
    assert_eq!(changes_since(&app, tagged), ["changed tags sea"]);

    let described = revision(&app);
    save(
        app.site(),
        Post {
            tags: Vec::new(),
            ..record
        },
    );
    assert_eq!(
        changes_since(&app, described),
        ["changed posts letter", "removed tags sea"]
    );
}

#[test]
fn drafts_sessions_and_staff_data_are_not_in_the_feed() {
    let app = served_site();
    save(app.site(), post(PostKind::Post, "letter", &[]));
    let start = revision(&app);
    let draft = Post {
        status: Status::Draft,
        ..post(PostKind::Post, "draft", &["secret"])
    };
    write(app.site(), |transaction| {
        transaction.save(tag("secret"))?;
        transaction.save(User {
            last_seen: Some(long_ago()),
            email: Some("ada@harbour.example".into()),
            ..ada()
        })?;
        transaction.save_post(draft.clone(), body("not yet"))
    });
    write(app.site(), |transaction| transaction.delete_post(draft.id));
    assert_eq!(revision(&app), start);
    assert_eq!(changes_since(&app, start), [""; 0]);
}

#[test]
fn gated_posts_are_in_the_feed() {
    let app = served_site();
    let start = revision(&app);
    let closed = Post {
        visibility: Visibility::Paid,
        ..post(PostKind::Post, "closed", &[])
    };
    save(app.site(), closed);
    assert_eq!(
        changes_since(&app, start),
        ["published posts closed", "published authors ada"]
    );
}

#[test]
fn settings_are_one_record_and_global_settings_reset_the_feed() {
    let app = served_site();
    let start = revision(&app);
    let set = |key: &str, value: &str| {
        let values = [(key.to_owned(), json!(value))].into();
        write(app.site(), |transaction| transaction.edit_settings(values));
    };
    set("title", "Harbour Notes");
    assert_eq!(changes_since(&app, start), ["changed settings -"]);
    let titled = revision(&app);
    set("timezone", "Europe/Lisbon");
    let response = app.json(&format!("changes/?since={titled}"));
    assert_eq!(
        response["meta"]["reset"], true,
        "the format of all dates has changed"
    );
    assert_eq!(changes_since(&app, revision(&app)), [""; 0]);
}

#[test]
fn content_files_are_in_the_feed() {
    let document = "---\ntitle: Letter\ndate: 2025-01-01\ntags: [sea]\nauthors: [ada]\n---\nOne.\n";
    let app = TestSite::builder()
        .file("posts/letter.md", document)
        .start();
    let start = revision(&app);
    app.write_file("posts/letter.md", document.replace("One.", "Two."));
    wait_until("the edit is in the feed", || revision(&app) > start);
    assert_eq!(changes_since(&app, start), ["changed posts letter"]);
    let edited = revision(&app);
    app.delete_file("posts/letter.md");
    wait_until("the removal is in the feed", || revision(&app) > edited);
    assert_eq!(
        changes_since(&app, edited),
        [
            "removed posts letter",
            "removed tags sea",
            "removed authors ada"
        ]
    );
}

#[test]
fn tiers_newsletters_and_recommendations_are_in_the_feed() {
    let app = TestSite::builder()
        .file(
            "tiers/gold.toml",
            "name = 'Gold'\nmonthly_price = 700\nyearly_price = 7000\ncurrency = 'EUR'\n",
        )
        .file("newsletters/weekly.toml", "name = 'Weekly'\n")
        .start();
    let start = revision(&app);
    app.write_file(
        "tiers/gold.toml",
        "name = 'Gold'\nmonthly_price = 800\nyearly_price = 8000\ncurrency = 'EUR'\n",
    );
    wait_until("the price is in the feed", || revision(&app) > start);
    assert_eq!(changes_since(&app, start), ["changed tiers gold"]);
    let priced = revision(&app);
    app.write_file(
        "newsletters/weekly.toml",
        "name = 'Weekly'\nstatus = 'archived'\n",
    );
    wait_until("the end is in the feed", || revision(&app) > priced);
    assert_eq!(changes_since(&app, priced), ["removed newsletters weekly"]);
}
