//! Tests of repeated imports, dry runs, and imports over edited records.

use galley::{domain::post::Post, import::Count};
use serde_json::json;

use super::destination::{Destination, EXPORTS, export, export_path, notes_about};

#[test]
fn repeated_import_changes_nothing() {
    for name in EXPORTS {
        let (site, first) = Destination::with(name);
        let before = site.everything();

        let second = site.import(&export_path(name));

        assert_eq!(site.everything(), before, "{name}");
        for (kind, count) in &second.counts {
            assert_eq!((count.added, count.updated), (0, 0), "{name}: {kind}");
            let came_in = first.counts.get(kind).copied().unwrap_or_default();
            assert_eq!(
                count.unchanged,
                came_in.added + came_in.updated + came_in.unchanged,
                "{name}: {kind}"
            );
        }
    }
}

#[test]
fn dry_run_reports_the_same_and_changes_nothing() {
    for name in EXPORTS {
        let site = Destination::new();
        let before = site.everything();

        let tried = site.dry_run(&export_path(name));

        assert!(tried.dry_run);
        assert_eq!(site.everything(), before, "{name}");
        let done = site.import(&export_path(name));
        assert_eq!(
            (tried.counts, tried.changed, tried.left_out),
            (done.counts, done.changed, done.left_out),
            "{name}"
        );
    }
}

#[test]
fn newer_file_updates_only_changed_records() {
    let (site, _) = Destination::with("ghost-4.json");
    let mut newer = export("ghost-4.json");
    let data = &mut newer["db"][0]["data"];
    data["posts"][0]["title"] = json!("High water");
    data["posts"][0]["updated_at"] = json!("2021-07-01T00:00:00.000Z");
    data["tags"][0]["name"] = json!("Ebb and flow");
    data["tags"][0]["updated_at"] = json!("2021-07-01T00:00:00.000Z");

    let report = site.import_json(&newer);

    assert_eq!(
        report.counts["posts"],
        Count {
            updated: 1,
            unchanged: 2,
            added: 0
        }
    );
    assert_eq!(
        report.counts["tags"],
        Count {
            updated: 1,
            unchanged: 1,
            added: 0
        }
    );
    let post = site.post("low-water");
    assert_eq!(
        (&post["title"], &post["primary_tag"]["name"]),
        (&json!("High water"), &json!("Ebb and flow"))
    );
}

#[test]
fn records_changed_since_the_import_are_preserved() {
    let (site, _) = Destination::with("ghost-4.json");
    site.site
        .write(|transaction| {
            let post = Post::clone(transaction.catalog().posts.by_slug("low-water").unwrap());
            let (html, lexical) = transaction.body(post.id)?;
            let body = galley::domain::post::Body::new(html.unwrap(), false, true)
                .with_lexical(lexical.unwrap());
            let edited = Post {
                title: "Edited here".into(),
                updated_at: transaction.now(),
                ..post
            };
            transaction.save_post(edited, body)
        })
        .unwrap();

    let report = site.import(&export_path("ghost-4.json"));

    assert_eq!(site.post("low-water")["title"], "Edited here");
    assert_eq!(
        notes_about(&report, "low-water"),
        ["stays as it is: it was changed here since"]
    );
}

#[test]
fn post_with_a_new_id_is_matched_by_uuid() {
    let (site, _) = Destination::with("ghost-4.json");
    let mut other = export("ghost-4.json");
    let data = &mut other["db"][0]["data"];
    data["posts"][0]["id"] = json!("77a000000000000000000065");
    data["posts"][0]["updated_at"] = json!("2021-07-01T00:00:00.000Z");
    data["posts"][0]["title"] = json!("High water");

    site.import_json(&other);

    let post = site.post("low-water");
    assert_eq!(
        (&post["id"], &post["title"]),
        (&json!("61a000000000000000000065"), &json!("High water"))
    );
}

#[test]
fn numeric_ids_of_two_files_do_not_collide() {
    let site = Destination::new();
    let file = |slug: &str| json!({"data": {"posts": [{"id": 1, "title": slug, "slug": slug, "status": "published", "html": "<p>x</p>"}]}});
    site.import_json(&file("one"));
    site.import_json(&file("other"));
    let listed = site.get("posts/?fields=slug&order=slug%20asc");
    assert_eq!(listed["posts"], json!([{"slug": "one"}, {"slug": "other"}]));
}

#[test]
fn numbered_slugs_are_preserved_on_repeated_import() {
    let (site, _) = Destination::with("ghost-6.json");
    let mut other = export("ghost-4.json");
    other["db"][0]["data"]["posts"][0]["slug"] = json!("the-pier");
    site.import_json(&other);
    assert_eq!(site.post("the-pier-2")["title"], "Low water");

    let post = &mut other["db"][0]["data"]["posts"][0];
    post["title"] = json!("Low water again");
    post["updated_at"] = json!("2021-07-01T00:00:00.000Z");
    site.import_json(&other);

    assert_eq!(site.post("the-pier-2")["title"], "Low water again");
}

#[test]
fn setting_disabled_on_the_site_stays_disabled() {
    let (site, _) = Destination::with("ghost-4.json");
    let off = [("outbound_link_tagging".to_owned(), json!(false))];
    site.site
        .write_once(|transaction| transaction.edit_settings(off.into()))
        .unwrap();
    site.import(&export_path("ghost-4.json"));
    assert_eq!(
        site.get("settings/")["settings"]["outbound_link_tagging"],
        false
    );
}
