//! Tests that posts of a site without users get a default author, as in Ghost, where an owner always exists.

use std::sync::LazyLock;

use galley_tests::{TestSite, admin_token, site_builder::SiteBuilder, staff::OWNER, wait_until};
use serde_json::{Value, json};

const ADMIN: &str = "/ghost/api/admin";

static POST: LazyLock<Value> =
    LazyLock::new(|| json!({"posts": [{"title": "By a key", "status": "published"}]}));

fn send(app: &TestSite, method: &str, endpoint: &str, body: &Value) -> Value {
    let token = admin_token::of_key(app.admin_key());
    let headers = format!("authorization: Ghost {token}\r\ncontent-type: application/json\r\n");
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let response = app.send(method, &format!("{ADMIN}/{endpoint}"), &headers, &body);
    assert!(response.status < 300, "{endpoint}: {}", response.text());
    response.json()
}

fn author_of_new_post(app: &TestSite) -> Value {
    send(app, "POST", "posts/", &POST)["posts"][0]["primary_author"].clone()
}

fn set_up(app: &TestSite, email: &str) {
    let body = json!({"setup": [{
        "name": OWNER.0, "email": email, "password": OWNER.2, "blogTitle": "Reference"
    }]});
    let headers = "content-type: application/json\r\n";
    let path = format!("{ADMIN}/authentication/setup/");
    let response = app.send("POST", &path, headers, &body.to_string());
    assert_eq!(response.status, 201, "{}", response.text());
}

#[test]
fn default_author_of_a_site_without_users_becomes_the_owner() {
    let app = TestSite::builder().without_content().start();
    let start = app.json("changes/")["meta"]["revision"].to_string();
    let start = start.trim_matches('"');

    let author = author_of_new_post(&app);
    assert_eq!(
        (&author["name"], &author["slug"]),
        (&json!("Author"), &json!("author"))
    );
    assert_eq!(
        author_of_new_post(&app)["id"],
        author["id"],
        "all posts have the same default author"
    );

    assert_eq!(app.values("authors/", "slug"), ["author"]);
    assert_eq!(
        app.values("posts/?filter=author:author", "slug"),
        ["by-a-key-2", "by-a-key"]
    );
    let changes = app.json(&format!("changes/?since={start}")).to_string();
    assert!(
        changes.contains("by-a-key") && changes.contains("author"),
        "{changes}"
    );

    set_up(&app, OWNER.1);
    let users = send(&app, "GET", "users/?include=roles", &Value::Null);
    let users = users["users"].as_array().unwrap();
    assert_eq!(users.len(), 1, "the owner replaces the default author");
    assert_eq!(users[0]["id"], author["id"]);
    assert_eq!(
        (&users[0]["name"], &users[0]["slug"]),
        (&json!(OWNER.0), &json!("ada"))
    );
    assert_eq!(users[0]["roles"][0]["name"], "Owner");
    assert_eq!(app.values("authors/", "slug"), ["ada"]);
    assert_eq!(author_of_new_post(&app)["slug"], "ada");
}

#[test]
fn default_author_is_the_first_of_the_content_files() {
    let app = with_authors(TestSite::builder()).start();
    assert_eq!(author_of_new_post(&app)["slug"], "ana");

    set_up(&app, OWNER.1);
    assert_eq!(
        author_of_new_post(&app)["slug"],
        "ada",
        "the owner is now the default author"
    );
    let first = app.json("posts/slug/by-a-key/?include=authors");
    assert_eq!(
        first["posts"][0]["primary_author"]["slug"], "ana",
        "earlier posts keep their author"
    );
}

fn with_authors(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file("authors/zoe.toml", "name = 'Zoe'\n")
        .file("authors/ana.toml", "name = 'Ana'\n")
}

#[test]
fn implied_author_stays_while_api_posts_have_them() {
    let app = TestSite::builder()
        .file("posts/a.md", "---\ntitle: A\ndate: 2025-01-01\n---\nText\n")
        .start();
    let author = author_of_new_post(&app);
    assert_eq!(author["slug"], "author");
    app.delete_file("posts/a.md");
    wait_until("the file's post goes", || {
        app.slugs("posts/") == ["by-a-key"]
    });
    assert_eq!(app.values("authors/", "slug"), ["author"]);
}

#[test]
fn default_author_and_later_content_files_coexist() {
    let app = TestSite::builder().start();
    let stand_in = author_of_new_post(&app);
    app.write_file("posts/b.md", "---\ntitle: B\ndate: 2025-01-01\n---\nText\n");
    wait_until("the file is read", || app.slugs("posts/").len() == 2);
    let post = app.json("posts/slug/b/?include=authors");
    assert_eq!(post["posts"][0]["primary_author"]["id"], stand_in["id"]);
    assert!(app.content_problems().is_empty());
}
