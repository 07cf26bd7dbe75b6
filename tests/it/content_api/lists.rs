//! Tests of lists: pagination, default order and requested order.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::{fixture, parameters::long_site};

#[test]
fn list_is_paginated() {
    let app = long_site();
    let mut slugs = Vec::new();
    let mut next = json!(1);
    while let Some(page) = next.as_u64() {
        let response = app.json(&format!("posts/?fields=slug&limit=25&page={page}"));
        slugs.extend(
            response["posts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|post| post["slug"].clone()),
        );
        let pagination = &response["meta"]["pagination"];
        let prev = if page == 1 {
            Value::Null
        } else {
            json!(page - 1)
        };
        next = if page == 5 {
            Value::Null
        } else {
            json!(page + 1)
        };
        assert_eq!(
            *pagination,
            json!({"page": page, "limit": 25, "pages": 5, "total": 105, "next": next, "prev": prev})
        );
    }
    let expected: Vec<Value> = (1..=105)
        .rev()
        .map(|number| json!(format!("p{number:03}")))
        .collect();
    assert_eq!(slugs, expected);
}

#[test]
fn page_past_the_end_is_empty() {
    let app = long_site();
    for page in ["9", "99999999999999999999999"] {
        let response = app.json(&format!("posts/?limit=100&page={page}"));
        assert_eq!(response["posts"], json!([]), "{page}");
        let pagination = &response["meta"]["pagination"];
        assert_eq!(
            (&pagination["next"], &pagination["prev"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(
            (&pagination["pages"], &pagination["total"]),
            (&json!(2), &json!(105))
        );
    }
    assert_eq!(app.json("posts/?page=9")["meta"]["pagination"]["page"], 9);
}

#[test]
fn empty_result_has_one_page() {
    let app = fixture::site();
    let pagination = &app.json("posts/?filter=slug:nosuch")["meta"]["pagination"];
    assert_eq!(
        *pagination,
        json!({"page": 1, "limit": 15, "pages": 1, "total": 0, "next": null, "prev": null})
    );
}

#[test]
fn post_matched_by_several_tags_counts_once() {
    let app = fixture::site();
    let response = app.json("posts/?filter=tag:%5Bletters,travel%5D&limit=2");
    assert_eq!(response["meta"]["pagination"]["total"], 5);
    assert_eq!(response["meta"]["pagination"]["pages"], 3);
}

#[test]
fn each_resource_has_its_default_order() {
    let app = fixture::site();
    assert_eq!(app.slugs("posts/"), fixture::POSTS, "newest first");
    assert_eq!(app.slugs("pages/"), ["about", "crew"], "by title");
    assert_eq!(
        app.slugs("tags/"),
        ["hash-note", "letters", "travel"],
        "by name"
    );
    assert_eq!(app.slugs("authors/"), ["ada", "ben"], "by name");
    assert_eq!(app.slugs("tiers/"), ["free", "gold"], "by price");
}

#[test]
fn newsletters_are_sorted_by_sort_order() {
    let app = TestSite::builder()
        .file("newsletters/a.toml", "name = 'A'\nsort_order = 3\n")
        .file("newsletters/b.toml", "name = 'B'\nsort_order = 1\n")
        .file("newsletters/c.toml", "name = 'C'\nsort_order = 2\n")
        .start();
    assert_eq!(app.slugs("newsletters/"), ["b", "c", "a"]);
    assert_eq!(app.slugs("newsletters/?order=name%20desc"), ["c", "b", "a"]);
}

#[test]
fn posts_with_equal_dates_are_sorted_by_descending_id() {
    let post = |id: &str| format!("---\ntitle: T\nid: '{id}'\ndate: 2025-01-01\n---\n");
    let app = TestSite::builder()
        .file("posts/a.md", post("63b0000000000000000000b2"))
        .file("posts/b.md", post("63b0000000000000000000c3"))
        .file("posts/c.md", post("63b0000000000000000000a1"))
        .start();
    assert_eq!(app.slugs("posts/"), ["b", "a", "c"]);
    assert_eq!(
        app.slugs("posts/?order=published_at%20desc"),
        ["c", "a", "b"],
        "a requested order has no tie-break"
    );
}

#[test]
fn names_are_ordered_by_code_point() {
    let app = ["alpha", "Alpha", "#beta", "Łódź", "東京", "Zeta"]
        .iter()
        .fold(TestSite::builder(), |builder, name| {
            let slug = name.len();
            builder.file(
                &format!("posts/p{slug}{}.md", name.starts_with('a')),
                format!("---\ntitle: T\ndate: 2025-01-01\ntags: ['{name}']\n---\n"),
            )
        })
        .start();
    assert_eq!(
        app.values("tags/", "name").first().map(String::as_str),
        Some("#beta"),
        "the number sign is ordered like any other character"
    );
}

#[test]
fn order_is_a_list_of_fields_with_directions() {
    let app = fixture::site();
    let rising = [
        "first-mark",
        "knots",
        "lighthouse",
        "log-book",
        "new-year",
        "night-ferry",
        "sea-chest",
        "tide-tables",
    ];
    let descending: Vec<&str> = rising.iter().rev().copied().collect();
    for (order, expected) in [
        ("title asc", rising.as_slice()),
        ("title desc", &descending),
        ("TITLE  DESC", &descending),
        (" title desc ", &descending),
        ("posts.title desc", &descending),
        (
            "featured asc,title desc",
            &[
                "tide-tables",
                "sea-chest",
                "new-year",
                "log-book",
                "lighthouse",
                "knots",
                "first-mark",
                "night-ferry",
            ],
        ),
        ("nosuch asc,title desc", &descending),
        (",,title desc,", &descending),
        ("slug,title desc", &descending),
        ("title asc,slug asc,title desc", &descending),
        ("title", &fixture::POSTS),
        ("nosuch desc", &fixture::POSTS),
        ("random", &fixture::POSTS),
    ] {
        let endpoint = format!("posts/?order={}", order.replace(' ', "%20"));
        assert_eq!(app.slugs(&endpoint), expected, "{order}");
    }
}

#[test]
fn order_fields_may_have_their_table_as_prefix() {
    let app = fixture::site();
    for (resource, table) in [
        ("posts", "posts"),
        ("pages", "posts"),
        ("tags", "tags"),
        ("authors", "users"),
    ] {
        let slug = &app.slugs(&format!("{resource}/"))[0];
        let filtered = |name: &str| format!("{resource}/?filter={name}.slug:{slug}");
        assert_eq!(app.slugs(&filtered(table)), [slug.as_str()], "{resource}");
        if resource != table {
            assert_eq!(app.content(&filtered(resource)).status, 400, "{resource}");
        }
        let ordered = |name: &str| app.slugs(&format!("{resource}/?order={name}%20desc"));
        assert_eq!(ordered(&format!("{table}.slug")), ordered("slug"));
    }
}

#[test]
fn private_fields_cannot_be_ordered_by() {
    let app = fixture::site();
    for (resource, fields) in [
        (
            "posts",
            "html,plaintext,lexical,mobiledoc,newsletter_id,email_recipient_filter,locale,published_by",
        ),
        ("pages", "email_subject,html"),
        ("tags", "created_at,updated_at,parent_id"),
        (
            "authors",
            "email,password,last_seen,created_at,status,visibility",
        ),
    ] {
        let expected = app.slugs(&format!("{resource}/"));
        for field in fields.split(',') {
            for direction in ["asc", "desc"] {
                let request = format!("{resource}/?order={field}%20{direction}");
                assert_eq!(app.slugs(&request), expected, "{request}");
            }
        }
    }
}

#[test]
fn null_sorts_lowest() {
    let app = fixture::site();
    assert_eq!(
        app.slugs("tags/?order=description%20asc,slug%20asc"),
        ["hash-note", "travel", "letters"]
    );
    assert_eq!(
        app.slugs("tags/?order=description%20desc,slug%20asc"),
        ["letters", "hash-note", "travel"]
    );
}

#[test]
fn slug_list_in_the_filter_sets_the_default_order() {
    let app = fixture::site();
    let filter = "filter=slug:%5Bknots,nosuch,new-year,lighthouse%5D";
    assert_eq!(
        app.slugs(&format!("posts/?{filter}")),
        ["knots", "new-year", "lighthouse"]
    );
    assert_eq!(
        app.slugs(&format!("posts/?{filter}&order=published_at%20asc")),
        ["new-year", "lighthouse", "knots"]
    );
    assert_eq!(
        app.slugs(&format!("posts/?{filter}&order=html%20asc")),
        ["knots", "new-year", "lighthouse"],
        "an order by a private field is ignored"
    );
    assert_eq!(
        app.slugs("pages/?filter=slug:%5Bcrew,about%5D"),
        ["crew", "about"]
    );
    assert_eq!(
        app.slugs("tags/?filter=slug:%5Btravel,letters%5D"),
        ["travel", "letters"]
    );
    assert_eq!(
        app.slugs("tiers/?filter=slug:%5Bgold,free%5D"),
        ["free", "gold"],
        "tiers keep their default order"
    );
}

#[test]
fn included_post_counts_can_be_ordered_by() {
    let app = fixture::site();
    let order = "order=count.posts%20asc,slug%20desc";
    assert_eq!(
        app.slugs(&format!("tags/?include=count.posts&{order}")),
        ["hash-note", "travel", "letters"]
    );
    assert_eq!(
        app.slugs(&format!("tags/?{order}")),
        ["travel", "letters", "hash-note"]
    );
}
