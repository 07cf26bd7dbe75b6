//! Tests that pages of equal records neither repeat nor omit one, in both APIs.

use std::collections::BTreeSet;

use galley_tests::TestSite;
use serde_json::{Value, json};

const RECORDS: usize = 12;

/// Starts a site with [`RECORDS`] records of each resource that differ only in their names.
fn site() -> TestSite {
    let mut builder = TestSite::builder();
    for number in 0..RECORDS {
        let dated = format!("title: T\ndate: 2025-01-01\ntags: [t{number}]\nauthors: [a{number}]");
        let price = "monthly_price = 1\nyearly_price = 2\ncurrency = 'eur'";
        builder = builder
            .file(
                &format!("posts/p{number}.md"),
                format!("---\n{dated}\n---\n"),
            )
            .file(
                &format!("pages/g{number}.md"),
                format!("---\n{dated}\n---\n"),
            )
            .file(
                &format!("tags/t{number}.toml"),
                "name = 'T'\ndescription = 'Same'\n",
            )
            .file(
                &format!("authors/a{number}.toml"),
                "name = 'A'\nlocation = 'Same'\n",
            )
            .file(
                &format!("tiers/r{number}.toml"),
                format!("name = 'R'\n{price}\n"),
            )
            .file(
                &format!("newsletters/n{number}.toml"),
                format!("name = 'N{number}'\nsort_order = 7\n"),
            );
    }
    let app = builder.start();
    assert_eq!(app.content_problems(), Vec::<String>::new());
    let labels: Vec<Value> = (0..RECORDS)
        .map(|number| json!({"name": format!("L{number}")}))
        .collect();
    for number in 0..RECORDS {
        let email = format!("m{number}@example.com");
        let member = json!({"members": [{"email": email, "name": "M", "labels": labels}]});
        let added = app.ask("POST", "members/", Some(&member));
        assert_eq!(added.status, 201, "{}", added.text());
    }
    app
}

/// Returns each record's identifier and value of `field`, in the order of the list.
fn rows(records: &Value, field: &str) -> Vec<(String, Value)> {
    let records = records.as_array().unwrap();
    let row = |record: &Value| {
        (
            record["id"].as_str().unwrap().to_owned(),
            record[field].clone(),
        )
    };
    records.iter().map(row).collect()
}

/// Asserts that the pages of a list, read by `get`, together equal the whole list, and that equal
/// records are in the order of their identifiers if an order is requested.
fn assert_pages_equal_the_list(get: impl Fn(&str) -> Value, resource: &str, order: &str) {
    let field = order.split(' ').next().unwrap();
    let requested = match order {
        "" => String::new(),
        _ => format!("&order={}", order.replace(' ', "%20")),
    };
    let whole = get(&format!("{resource}/?limit=100{requested}"));
    let whole = rows(&whole[resource], field);
    let about = format!("{resource} by '{order}'");
    assert!(whole.len() >= RECORDS, "{about}: {whole:?}");

    let mut parts = Vec::new();
    for page in 1..=whole.len().div_ceil(3) {
        let part = get(&format!("{resource}/?limit=3&page={page}{requested}"));
        parts.extend(rows(&part[resource], field));
    }

    assert_eq!(parts, whole, "{about}");
    let ids: BTreeSet<&String> = parts.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), parts.len(), "{about}: a record is repeated");
    if !order.is_empty() {
        let equal = parts.windows(2).filter(|pair| pair[0].1 == pair[1].1);
        let equal: Vec<_> = equal.collect();
        assert!(equal.len() >= RECORDS - 1, "{about}: {parts:?}");
        assert!(
            equal.iter().all(|pair| pair[0].0 < pair[1].0),
            "{about}: {parts:?}"
        );
    }
}

#[test]
fn content_api_pages_of_equal_records_make_up_the_whole_list() {
    let app = site();
    for (resource, order) in [
        ("posts", "published_at desc"),
        ("posts", "published_at asc"),
        ("posts", "title desc"),
        ("pages", "published_at desc"),
        ("tags", "description desc"),
        ("authors", "location desc"),
        ("tiers", "name desc"),
        ("newsletters", "sort_order desc"),
    ] {
        for order in [order, ""] {
            assert_pages_equal_the_list(|endpoint| app.json(endpoint), resource, order);
        }
    }
}

/// Tiers are always on one page for staff (Ghost 6.65, recorded).
#[test]
fn admin_api_pages_of_equal_records_make_up_the_whole_list() {
    let app = site();
    for (resource, order) in [
        ("posts", "published_at desc"),
        ("posts", "updated_at desc"),
        ("posts", "title asc"),
        ("pages", "published_at desc"),
        ("tags", "description desc"),
        ("users", "location desc"),
        ("members", "name desc"),
        ("newsletters", "sort_order desc"),
        ("labels", "created_at desc"),
    ] {
        for order in [order, ""] {
            assert_pages_equal_the_list(|endpoint| app.read(endpoint), resource, order);
        }
    }
}
