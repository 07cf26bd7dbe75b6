//! Tests that posts and pages are browsed and read.

use galley_tests::{TestSite, test_site::keys};
use serde_json::{Value, json};

use super::{first, found, slugs};
use crate::content_api::fixture::{self, POSTS};

/// All posts that are not public.
const NOT_PUBLIC: [(&str, &str); 4] = [
    ("tide-tables", "HIDDEN tides"),
    ("sea-chest", "HIDDEN coins"),
    ("log-book", "HIDDEN log"),
    ("first-mark", "HIDDEN from the start"),
];

#[test]
fn lists_begin_with_scheduled_posts_and_drafts() {
    let app = fixture::site();
    let expected: Vec<&str> = ["tomorrow", "unfinished"]
        .into_iter()
        .chain(POSTS)
        .collect();
    assert_eq!(slugs(&app, "posts/"), expected);
    assert_eq!(slugs(&app, "posts/?limit=3&page=2"), expected[3..6]);
    let meta = &app.read("posts/?limit=3&page=4")["meta"];
    assert_eq!(meta["pagination"]["total"], json!(expected.len()));
}

#[test]
fn unpublished_post_is_read_complete_by_id_and_slug() {
    let app = fixture::site();
    for (slug, body) in NOT_PUBLIC
        .into_iter()
        .chain([("unfinished", "HIDDEN draft")])
    {
        let by_slug = app.read(&format!(
            "posts/slug/{slug}/?formats=html,plaintext,lexical"
        ));
        let post = first(&by_slug, "posts");
        for format in ["html", "plaintext", "lexical"] {
            let text = post[format].as_str().unwrap();
            assert!(text.contains(body), "{slug} as {format}: {text}");
        }
        let id = post["id"].as_str().unwrap();
        let by_id = app.read(&format!("posts/{id}/?fields=html"));
        assert_eq!(first(&by_id, "posts")["html"], post["html"]);
    }
}

#[test]
fn excerpt_is_custom_or_else_the_start_of_the_full_text() {
    let app = fixture::site();
    let excerpt = |slug: &str| {
        let response = app.read(&format!("posts/slug/{slug}/?fields=excerpt"));
        let excerpt = first(&response, "posts")["excerpt"].as_str();
        excerpt.unwrap().trim_end().to_owned()
    };
    assert_eq!(excerpt("log-book"), "HIDDEN log");
    assert_eq!(excerpt("tide-tables"), "About tides");
    assert_eq!(excerpt("lighthouse"), "It blinks.");
    let knots = excerpt("knots");
    assert!(knots.contains("HIDDEN card"), "{knots}");
}

#[test]
fn posts_and_pages_are_separate_endpoints() {
    let app = fixture::site();
    assert_eq!(app.ask("GET", "pages/slug/knots/", None).status, 404);
    assert_eq!(app.ask("GET", "posts/slug/about/", None).status, 404);
    let page = app.read("pages/slug/about/?fields=id");
    let id = first(&page, "pages")["id"].as_str().unwrap();
    assert_eq!(app.ask("GET", &format!("posts/{id}/"), None).status, 404);
    assert_eq!(slugs(&app, "posts/?filter=slug:about"), [""; 0]);
    assert_eq!(slugs(&app, &format!("posts/?filter=id:{id}")), [""; 0]);
}

#[test]
fn filters_may_use_fields_hidden_from_readers() {
    let app = fixture::site();
    for (filter, expected) in [
        ("status:draft", &["unfinished"][..]),
        ("status:[draft,scheduled]", &["tomorrow", "unfinished"]),
        ("posts.status:-published", &["tomorrow", "unfinished"]),
        ("status:-published+tag:someday", &["tomorrow", "unfinished"]),
        ("status:draft+author:ada", &[]),
        (
            "authors.email:~'hidden-ben'+status:published+tag:travel",
            &["knots", "night-ferry", "tide-tables"],
        ),
        ("email_subject:-null", &["night-ferry"]),
        ("email_only:true", &[]),
        ("newsletter_id:-null", &[]),
        ("tags.created_at:>'2999-01-01'", &[]),
        ("published_at:null", &["unfinished"]),
        ("id:1,slug:knots", &["knots"]),
    ] {
        assert_eq!(found(&app, filter), expected, "{filter}");
    }
}

#[test]
fn filter_by_an_unknown_field_is_rejected() {
    let app = fixture::site();
    for filter in [
        "nonsense:1",
        "authors.nonsense:1",
        "url:-null",
        "access:true",
        "status:",
        "status:draft+",
    ] {
        let response = app.ask(
            "GET",
            &format!("posts/?filter={}", filter.replace('+', "%2B")),
            None,
        );
        assert_eq!(response.status, 400, "{filter}: {}", response.text());
    }
}

#[test]
fn posts_that_match_more_listed_tags_or_authors_come_first() {
    let post = |title: &str, day: u8, tags: &str, authors: &str| {
        format!(
            "---\ntitle: {title}\ndate: 2025-01-0{day}\ntags: [{tags}]\nauthors: [{authors}]\n---\nText.\n"
        )
    };
    let app = TestSite::builder()
        .file("posts/one.md", post("One", 1, "a, b, c", "ada"))
        .file("posts/two.md", post("Two", 2, "a", "ada, ben"))
        .file("posts/three.md", post("Three", 3, "a, b", "ben"))
        .file("posts/four.md", post("Four", 4, "b", "ada"))
        .start();
    for (filter, expected) in [
        ("tag:[a,b]", ["one", "three", "four", "two"]),
        ("tags:[a,b],slug:two", ["one", "three", "four", "two"]),
        ("author:[ada,ben]", ["two", "four", "three", "one"]),
        (
            "author:[ada,ben]%2Btag:[a,b]",
            ["two", "one", "three", "four"],
        ),
        ("tag:-[c,d],tag:c", ["four", "three", "two", "one"]),
        // The order of a list of slugs applies only in the Content API.
        ("slug:[two,one,four,three]", ["four", "three", "two", "one"]),
    ] {
        assert_eq!(
            slugs(&app, &format!("posts/?filter={filter}")),
            expected,
            "{filter}"
        );
    }
    assert_eq!(
        slugs(&app, "posts/?filter=tag:[a,b]&order=slug+asc"),
        ["four", "one", "three", "two"]
    );
}

#[test]
fn body_formats_default_to_the_editor_documents() {
    let app = fixture::site();
    let forms = |query: &str| -> Vec<String> {
        let response = app.read(&format!("posts/slug/knots/?{query}"));
        let post = first(&response, "posts").as_object().unwrap().clone();
        let forms = ["mobiledoc", "lexical", "html", "plaintext"];
        forms
            .into_iter()
            .filter(|form| post.contains_key(*form))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(forms(""), ["mobiledoc", "lexical"]);
    assert_eq!(forms("formats="), ["mobiledoc", "lexical"]);
    assert_eq!(forms("formats=HTML,%20plaintext"), ["html", "plaintext"]);
    assert_eq!(forms("formats=nonsense"), [""; 0]);
    assert_eq!(forms("formats=nonsense,html"), ["html"]);
    assert_eq!(forms("fields=title"), [""; 0]);
    assert_eq!(forms("fields=title,html"), ["html"]);
    assert_eq!(forms("fields=title&formats=plaintext"), ["plaintext"]);
}

#[test]
fn body_without_a_document_gets_an_equivalent_one() {
    let app = fixture::site();
    let response = app.read("posts/slug/lighthouse/");
    let post = first(&response, "posts");
    let document: Value = serde_json::from_str(post["lexical"].as_str().unwrap()).unwrap();
    let paragraph = &document["root"]["children"][0];
    assert_eq!(paragraph["children"][0]["text"], json!("It blinks."));
    assert_eq!(post["mobiledoc"], Value::Null);
}

#[test]
fn urls_of_the_site_are_absolute_in_every_format() {
    let app = fixture::site();
    let response = app.read("posts/slug/night-ferry/?formats=html,lexical,plaintext");
    let text = response.to_string();
    assert!(!text.contains("__GHOST_URL__"), "{text}");
    for form in ["html", "lexical"] {
        let body = first(&response, "posts")[form].as_str().unwrap();
        assert!(
            body.contains("https://harbour.example/lighthouse/"),
            "{form}: {body}"
        );
    }
}

#[test]
fn default_relations_are_replaced_by_include_and_removed_by_fields() {
    let app = fixture::site();
    let related = |query: &str| -> Vec<String> {
        let response = app.read(&format!("posts/slug/night-ferry/?{query}"));
        let names = [
            "authors",
            "count",
            "email",
            "newsletter",
            "post_revisions",
            "primary_author",
            "primary_tag",
            "sentiment",
            "tags",
            "tiers",
        ];
        let post = first(&response, "posts");
        let known = keys(post).into_iter().filter(|key| names.contains(key));
        known.map(str::to_owned).collect()
    };
    let defaults = [
        "authors",
        "count",
        "email",
        "newsletter",
        "primary_author",
        "primary_tag",
        "tags",
        "tiers",
    ];
    assert_eq!(related(""), defaults);
    assert_eq!(related("include="), defaults);
    assert_eq!(related("include=nonsense"), [""; 0]);
    assert_eq!(related("include=tags"), ["primary_tag", "tags"]);
    assert_eq!(
        related("include=count.clicks,nonsense,sentiment"),
        ["count", "sentiment"]
    );
    assert_eq!(related("fields=title"), [""; 0]);
    assert_eq!(related("fields=title&include=tags"), ["tags"]);
    assert_eq!(
        related("fields=title,primary_tag&include=tags"),
        ["primary_tag", "tags"]
    );
}

#[test]
fn authors_have_roles_and_addresses_but_no_credentials() {
    let app = fixture::site();
    let response = app.read("posts/slug/night-ferry/");
    let author = &first(&response, "posts")["authors"][0];
    assert_eq!(author["email"], json!("HIDDEN-ada@harbour.example"));
    assert_eq!(author["roles"][0]["name"], json!("Author"));
    let text = response.to_string();
    for secret in ["password", "secret", "api_key"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    let plain = app.read("posts/slug/night-ferry/?include=authors");
    assert_eq!(first(&plain, "posts")["authors"][0]["roles"], Value::Null);
}

#[test]
fn post_tiers_include_archived_ones() {
    let app = fixture::site();
    let tiers = |slug: &str| -> Vec<String> {
        let response = app.read(&format!("posts/slug/{slug}/?include=tiers"));
        let tiers = first(&response, "posts")["tiers"]
            .as_array()
            .unwrap()
            .clone();
        tiers
            .iter()
            .map(|tier| tier["slug"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(tiers("log-book"), ["gold"]);
    assert!(tiers("knots").contains(&"old".to_owned()));
    assert!(tiers("knots").contains(&"free".to_owned()));
    assert!(!tiers("sea-chest").contains(&"free".to_owned()));
}

#[test]
fn pages_have_no_newsletter_fields() {
    let app = fixture::site();
    let response = app.read("pages/slug/about/");
    let page = first(&response, "pages");
    for name in [
        "email",
        "newsletter",
        "email_segment",
        "email_only",
        "email_subject",
    ] {
        assert!(page.get(name).is_none(), "{name}");
    }
    assert_eq!(page["show_title_and_feature_image"], json!(true));
    assert!(slugs(&app, "pages/?filter=email_only:true").is_empty());
}

#[test]
fn admin_responses_are_not_cached() {
    let app = fixture::site();
    let response = app.ask("GET", "posts/", None);
    let cache_control = response.header("cache-control").unwrap();
    assert!(
        cache_control.contains("private") && cache_control.contains("no-store"),
        "{cache_control}"
    );
}

#[test]
fn page_copied_as_a_post_is_returned_as_a_post() {
    let app = fixture::site();
    let page = app.read("pages/slug/about/");
    let id = first(&page, "pages")["id"].as_str().unwrap();

    let copied = app.ask("POST", &format!("posts/{id}/copy/"), None);

    assert_eq!(copied.status, 201, "{}", copied.text());
    let copied = copied.json();
    let title = &first(&copied, "posts")["title"];
    assert_eq!(title, &json!("About (Copy)"), "{copied}");
}
