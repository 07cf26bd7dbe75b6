//! Tests of imports of exports from Ghost 4, 5 and 6, and from other programs that write the same format.

use galley::{
    domain::{credentials::Credentials, post::Status, role::Role, user::UserStatus},
    import::Count,
    store::Table,
};
use serde_json::json;

use super::destination::{Destination, export, notes_about, slugs};

const HASH: &str = "$2a$10$FxFlCsNBgXw42cBj0l1GFu39jffibqTqyAGBz7uCLwetYAdBYJEe6";

#[test]
fn post_of_ghost_4_keeps_all_fields() {
    let (site, _) = Destination::with("ghost-4.json");
    let post = site.post("low-water");
    for (field, value) in [
        ("id", json!("61a000000000000000000065")),
        ("uuid", json!("0a1b2c3d-0000-4000-8000-000000000101")),
        ("title", json!("Low water")),
        ("comment_id", json!("1")),
        ("featured", json!(true)),
        ("visibility", json!("public")),
        ("created_at", json!("2021-03-01T08:30:00.000+00:00")),
        ("updated_at", json!("2021-03-03T08:30:00.000+00:00")),
        ("published_at", json!("2021-03-02T08:30:00.000+00:00")),
        ("custom_excerpt", json!(null)),
        (
            "feature_image",
            json!("https://harbour.example/content/images/2021/03/cover.jpg"),
        ),
        (
            "og_image",
            json!("https://harbour.example/content/images/2021/03/og.jpg"),
        ),
        ("meta_title", json!("Low water at the quay")),
        ("feature_image_alt", json!("Mud")),
        (
            "feature_image_caption",
            json!("Seen from <a href=\"https://harbour.example/about/\">the pier</a>"),
        ),
    ] {
        assert_eq!(post[field], value, "{field}");
    }
    assert_eq!(slugs(&post["tags"]), ["tides", "hash-pinned"]);
    assert_eq!(slugs(&post["authors"]), ["ada", "ben"]);
    assert_eq!(post["primary_tag"]["slug"], "tides");
}

#[test]
fn mobiledoc_is_converted_and_rendered() {
    let (site, _) = Destination::with("ghost-4.json");
    assert_eq!(
        site.post("low-water")["html"],
        "<p><strong>Low water</strong> at noon, see <a href=\"https://harbour.example/about/\">about us</a></p>\
         <figure class=\"kg-card kg-image-card\"><img src=\"https://harbour.example/content/images/2021/03/quay.jpg\" class=\"kg-image\" \
         alt=\"The quay\" loading=\"lazy\" width=\"1200\" height=\"800\" srcset=\"https://harbour.example/content/images/size/w600/2021/03/quay.jpg 600w, \
         https://harbour.example/content/images/size/w1000/2021/03/quay.jpg 1000w, https://harbour.example/content/images/2021/03/quay.jpg 1200w\" \
         sizes=\"(min-width: 720px) 720px\"></figure><p>Some <em>old</em> text.</p>\n"
    );
    let id = "61a000000000000000000065".parse().unwrap();
    let lexical = site.site.current().lexical(id).unwrap().unwrap();
    assert!(
        lexical.contains("__GHOST_URL__/content/images/2021/03/quay.jpg"),
        "{lexical}"
    );
    assert!(lexical.contains("\"__GHOST_URL__/about/\""), "{lexical}");
}

#[test]
fn pages_and_drafts_keep_their_type_and_status() {
    let (site, _) = Destination::with("ghost-4.json");
    assert_eq!(site.page("about")["html"], "<p>Who we are.</p>");
    let listed = site.get("posts/?fields=slug");
    assert_eq!(slugs(&listed["posts"]), ["for-the-crew", "low-water"]);
    let snapshot = site.site.current();
    let draft = snapshot.catalog.posts.by_slug("unfinished").unwrap();
    assert_eq!((draft.status, draft.published_at), (Status::Draft, None));
}

#[test]
fn users_keep_roles_and_password_hashes() {
    let (site, report) = Destination::with("ghost-4.json");
    let snapshot = site.site.current();
    let ada = snapshot.catalog.users.by_slug("ada").unwrap();
    assert_eq!((ada.role, ada.status), (Role::Owner, UserStatus::Active));
    assert_eq!(ada.email.as_deref(), Some("ada@harbour.example"));
    assert_eq!(ada.last_seen, Some("2021-06-01T08:30:00Z".parse().unwrap()));
    let credentials: Credentials = snapshot
        .read(Table::Credentials, ada.id.as_bytes())
        .unwrap()
        .unwrap();
    assert_eq!(&*credentials.password_hash, HASH);

    let ben = snapshot.catalog.users.by_slug("ben").unwrap();
    assert_eq!((ben.role, ben.status), (Role::Editor, UserStatus::Locked));
    let credentials: Option<Credentials> = snapshot
        .read(Table::Credentials, ben.id.as_bytes())
        .unwrap();
    assert_eq!(credentials, None);
    assert_eq!(
        notes_about(&report, "ben@"),
        ["its password is of a kind that cannot be verified here; the user has to set a new one"]
    );
}

#[test]
fn imported_credentials_are_not_served() {
    let (site, _) = Destination::with("ghost-4.json");
    let responses = site.content_responses();
    assert!(!responses.contains("$2a$"));
    assert!(!responses.contains("ada@harbour.example"));
    assert!(!responses.contains("HIDDEN"));
}

#[test]
fn every_body_format_is_imported() {
    let (site, report) = Destination::with("ghost-5.json");
    for (slug, html) in [
        (
            "written-before",
            "<h2 id=\"a-heading\">A heading</h2><hr><p><em>slanted</em></p>",
        ),
        ("only-html", "<p>Bare <strong>markup</strong>.</p>"),
        ("broken-document", "<p>What was shown.</p>"),
        ("unknown-card", "<p>Before.</p><p>After.</p>"),
    ] {
        assert_eq!(site.post(slug)["html"], html, "{slug}");
    }
    let broken = notes_about(&report, "broken-document");
    assert!(
        broken[0].starts_with("its Lexical cannot be used: "),
        "{broken:?}"
    );
    let unknown = notes_about(&report, "unknown-card");
    assert!(
        unknown.iter().any(|note| note.contains("hologram")),
        "{unknown:?}"
    );
}

#[test]
fn email_only_and_scheduled_posts_are_not_served() {
    let (site, report) = Destination::with("ghost-5.json");
    let snapshot = site.site.current();
    let post = |slug: &str| snapshot.catalog.posts.by_slug(slug).unwrap();
    let mail = post("by-mail-alone");
    assert_eq!(mail.status, Status::Sent);
    assert_eq!(
        mail.newsletter,
        Some("63b0000000000000000002bd".parse().unwrap())
    );
    assert_eq!(mail.email_segment.as_deref(), Some("status:-free"));
    let meta = mail.meta.as_ref().unwrap();
    assert_eq!(
        (meta.email_only, meta.email_subject.as_deref()),
        (true, Some("For you"))
    );
    assert_eq!(post("tomorrow").status, Status::Scheduled);
    assert_eq!(post("yesterday").status, Status::Published);
    assert_eq!(
        notes_about(&report, "yesterday"),
        ["was scheduled for a time that has passed; it is published"]
    );
    let responses = site.content_responses();
    assert!(!responses.contains("by-mail-alone") && !responses.contains("tomorrow"));
}

#[test]
fn dangling_references_of_posts_are_reported() {
    let (site, report) = Destination::with("ghost-5.json");
    assert_eq!(
        notes_about(&report, "written-in-lexical"),
        ["names the tag 63b0000000000000000002bb, which is not in the file"]
    );
    // The default author is the first user.
    assert_eq!(slugs(&site.post("unknown-card")["authors"]), ["carla"]);
    let notes = notes_about(&report, "unknown-card");
    assert!(notes.contains(
        &"names the author 63b000000000000000000063, which is not in the file".to_owned()
    ));
    assert!(notes.contains(&"has no author in the file; a default author was set".to_owned()));
}

#[test]
fn unsupported_tables_are_reported_once_with_the_reason() {
    let (_, report) = Destination::with("ghost-5.json");
    assert_eq!(
        notes_about(&report, "table custom_theme_settings"),
        ["1 of its rows were skipped: without a theme or a setting, too long, or too many"]
    );
    // An offer without a tier is skipped.
    assert_eq!(
        notes_about(&report, "offer \"spring\""),
        ["its tier is not in the file"]
    );
    let (_, report) = Destination::with("ghost-4.json");
    assert_eq!(notes_about(&report, "table migrations"), ["unknown table"]);
}

#[test]
fn site_of_ghost_6_serves_the_same_responses() {
    let (site, report) = Destination::with("ghost-6.json");
    let post = site.post("the-pier");
    assert_eq!(
        post["html"],
        "<p>It stands.</p><figure class=\"kg-card kg-image-card\"><img src=\"https://harbour.example/content/images/2025/09/pier.jpg\" \
         class=\"kg-image\" alt=\"The pier\" loading=\"lazy\" width=\"1600\" height=\"900\" \
         srcset=\"https://harbour.example/content/images/size/w600/2025/09/pier.jpg 600w, https://harbour.example/content/images/size/w1000/2025/09/pier.jpg 1000w, \
         https://harbour.example/content/images/2025/09/pier.jpg 1600w\" sizes=\"(min-width: 720px) 720px\"></figure>"
    );
    assert_eq!(post["excerpt"], "It stands.");
    assert_eq!(site.page("contact")["show_title_and_feature_image"], false);
    let author = &post["primary_author"];
    assert_eq!(
        (&author["threads"], &author["bluesky"]),
        (&json!("@dora"), &json!("dora.example"))
    );
    assert_eq!(
        site.get("settings/")["settings"]["icon"],
        "https://harbour.example/content/images/size/w256h256/2025/09/icon.png"
    );
    // Cover and image of the post, and the icon; the page has none.
    assert_eq!(
        notes_about(&report, "3 references to files"),
        [
            "the files do not exist: copy content/images, content/media and content/files of the old site into the data folder"
        ]
    );
    assert_eq!(
        report.counts["posts"],
        Count {
            added: 1,
            ..Count::default()
        }
    );
    assert_eq!(
        report.counts["pages"],
        Count {
            added: 1,
            ..Count::default()
        }
    );
}

#[test]
fn exports_of_other_programs_are_imported() {
    let (site, report) = Destination::with("by-hand.json");
    let post = site.post("from-another-system-");
    assert_eq!(post["published_at"], "2020-01-26T00:53:20.000+00:00");
    assert_eq!(post["updated_at"], "2020-02-01T10:00:00.000+00:00");
    assert_eq!(
        post["feature_image"],
        "https://harbour.example/content/images/a.jpg"
    );
    assert_eq!(
        (&post["featured"], &post["meta_title"]),
        (&json!(true), &json!("Seen by machines"))
    );
    assert_eq!(post["comment_id"], "7");
    assert_eq!(slugs(&post["tags"]), ["news", "bare-slug"]);
    assert_eq!(post["primary_author"]["name"], "Eve");
    assert_eq!(
        post["primary_author"]["profile_image"],
        "https://harbour.example/content/images/eve.jpg"
    );
    assert_eq!(site.page("a-page")["html"], "<p>Page.</p>");
    assert_eq!(site.post("without-anything")["html"], "<p>Bare.</p>");
    assert_eq!(site.post("long-title")["title"], "T".repeat(255));
    assert_eq!(
        notes_about(&report, "columns of the table posts"),
        ["language"]
    );
}

#[test]
fn invalid_values_are_reported_and_the_rest_is_imported() {
    let (site, report) = Destination::with("by-hand.json");
    assert_eq!(
        notes_about(&report, "post \"from-another-system-\""),
        [
            "its slug was \"From Another System!\"; here it is \"from-another-system-\"",
            "names the tag 55, which is not in the file"
        ]
    );
    let same = notes_about(&report, "post \"a-page\"");
    assert_eq!(
        same,
        [
            "has no author in the file; a default author was set",
            "its slug is in use; here it is \"a-page-2\"",
            "its \"featured\" cannot be read",
            "its \"published_at\" cannot be read",
        ]
    );
    assert_eq!(site.post("a-page-2")["title"], "Same slug");
    let untitled = site.site.current();
    let untitled = untitled.catalog.posts.by_slug("untitled").unwrap();
    assert_eq!(
        (&*untitled.title, untitled.status),
        ("(Untitled)", Status::Draft)
    );
    assert!(
        untitled.is_gated(),
        "a post with an invalid visibility is public"
    );
    assert!(
        notes_about(&report, "post \"long-title\"")
            .contains(&"it is in the file twice; the first one counts".to_owned())
    );
    assert_eq!(
        notes_about(&report, "tag \"again\""),
        ["its identifier is in the file twice"]
    );
    assert_eq!(
        notes_about(&report, "a row of the table tags"),
        ["it has no name"]
    );
    assert_eq!(
        notes_about(&report, "a post"),
        ["it has neither title nor slug"]
    );
    assert!(notes_about(&report, "table posts").contains(&"1 row is not an object".to_owned()));
}

#[test]
fn the_site_has_one_owner() {
    let (site, _) = Destination::with("ghost-4.json");
    let report = site.import(&super::destination::export_path("ghost-6.json"));
    let snapshot = site.site.current();
    let role = |slug: &str| snapshot.catalog.users.by_slug(slug).unwrap().role;
    assert_eq!(
        (role("ada"), role("dora")),
        (Role::Owner, Role::Administrator)
    );
    assert_eq!(
        notes_about(&report, "dora@"),
        ["was the owner; here an Administrator, because this site has an owner"]
    );
}

#[test]
fn user_with_the_same_address_is_matched_and_keeps_the_password() {
    let (site, _) = Destination::with("ghost-6.json");
    let mut other = export("ghost-4.json");
    let users = &mut other["db"][0]["data"]["users"];
    users[0]["email"] = json!("DORA@harbour.example");
    users[0]["password"] = json!(HASH.replace("FxFl", "AAAA"));
    users[0]["updated_at"] = json!("2025-12-01T00:00:00.000Z");

    let report = site.import_json(&other);

    let snapshot = site.site.current();
    let dora = snapshot
        .catalog
        .users
        .get("68c00000000000000000000b".parse().unwrap())
        .unwrap();
    assert_eq!((&*dora.name, dora.role), ("Ada Quay", Role::Owner));
    let credentials: Credentials = snapshot
        .read(Table::Credentials, dora.id.as_bytes())
        .unwrap()
        .unwrap();
    assert_eq!(&*credentials.password_hash, HASH);
    assert_eq!(
        site.post("low-water")["primary_author"]["id"],
        dora.id.to_string()
    );
    assert_eq!(
        notes_about(&report, "DORA@"),
        ["the site already has this user; its identifier is used"]
    );
}

#[test]
fn tag_with_the_same_slug_and_name_is_matched() {
    let (site, _) = Destination::with("ghost-6.json");
    let mut other = export("ghost-4.json");
    let tag = &mut other["db"][0]["data"]["tags"][0];
    tag["name"] = json!("VIEWS ");
    tag["slug"] = json!("views");
    site.import_json(&other);
    assert_eq!(
        site.post("low-water")["primary_tag"]["id"],
        "68c0000000000000000000c9"
    );

    let tag = &mut other["db"][0]["data"]["tags"][0];
    tag["name"] = json!("Something else");
    let (site, _) = Destination::with("ghost-6.json");
    site.import_json(&other);
    assert_eq!(site.post("low-water")["primary_tag"]["slug"], "views-2");
}

#[test]
fn post_without_an_author_gets_one() {
    let site = Destination::new();
    let report = site.import_json(&json!({"data": {"posts": [{"title": "Alone", "status": "published", "html": "<p>x</p>"}]}}));
    assert_eq!(site.post("alone")["primary_author"]["name"], "Author");
    assert_eq!(notes_about(&report, "user \"Author\"").len(), 1);
}

#[test]
fn urls_of_the_old_site_become_urls_of_the_site() {
    let site = Destination::new();
    site.import_json(&json!({"data": {"posts": [{
        "title": "Links", "status": "published", "canonical_url": "https://harbour.example/first/",
        "html": "<p><a href=\"https://harbour.example/a/\">a</a> <a href=\"https://other.example/\">b</a></p>",
        "codeinjection_head": "<link href=\"https://harbour.example/style.css\">",
    }]}}));
    let snapshot = site.site.current();
    let post = snapshot.catalog.posts.by_slug("links").unwrap();
    assert_eq!(post.canonical_url.as_deref(), Some("__GHOST_URL__/first/"));
    assert_eq!(
        post.codeinjection_head.as_deref(),
        Some("<link href=\"__GHOST_URL__/style.css\">")
    );
    let html = snapshot.html(post.id).unwrap().unwrap();
    assert!(
        html.contains("__GHOST_URL__/a/") && html.contains("https://other.example/"),
        "{html}"
    );
}

#[test]
fn exports_of_too_old_versions_are_rejected() {
    let site = Destination::new();
    for version in ["0.11.14", "003"] {
        let export = json!({"db": [{"meta": {"version": version}, "data": {"posts": []}}]});
        let error = site.try_import_text(export.to_string()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("update that site to Ghost 4, 5 or 6 first"),
            "{error}"
        );
    }
}

#[test]
fn texts_with_unpaired_surrogates_are_imported() {
    let site = Destination::new();
    let export = r#"{"data": {"posts": [{"title": "Cut \ud83d", "slug": "cut", "status": "published", "html": "<p>\ud83d\ude00</p>"}]}}"#;
    let report = site.try_import_text(export).unwrap();
    let post = site.post("cut");
    assert_eq!(
        (&post["title"], &post["html"]),
        (&json!("Cut \u{fffd}"), &json!("<p>\u{1f600}</p>"))
    );
    assert!(
        notes_about(&report, "cut").contains(&"unpaired surrogates in it were replaced".to_owned())
    );
}
