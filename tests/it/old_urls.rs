//! Tests that former URLs of posts redirect to the current one while the post is public.

use galley::{
    admin::redirects::{self, RedirectFormat},
    domain::actor::Actor,
};
use galley_tests::{TestSite, wait_until};

fn location(app: &TestSite, path: &str) -> Option<String> {
    let response = app.get(path);
    assert!(
        [200, 301, 404].contains(&response.status),
        "{path}: {}",
        response.status
    );
    response.header("location").map(str::to_owned)
}

fn ferry(lines: &str) -> String {
    format!("---\ntitle: Ferry\ndate: 2024-01-01\n{lines}\n---\nText.\n")
}

#[test]
fn former_path_redirects_to_the_post_in_any_notation() {
    let app = TestSite::builder()
        .file(
            "posts/ferry.md",
            ferry("aliases: [/2020/01/ferry.html, '/caf%C3%A9/', /2020/Old-Ferry/]\nredirect_from: /not/both/\npermalink: /boats/ferry/"),
        )
        .file("pages/about.md", ferry("redirect_from: /about-us/"))
        .start();
    for (path, to) in [
        ("/2020/01/ferry.html", Some("/ferry/")),
        ("/2020/01/ferry.html?a=b", Some("/ferry/?a=b")),
        ("/caf%C3%A9", Some("/ferry/")),
        ("/caf%c3%a9/", Some("/ferry/")),
        ("/caf%C3%A9/index.html", Some("/ferry/")),
        ("/boats/ferry/", Some("/ferry/")),
        ("/2020/Old-Ferry/", Some("/ferry/")),
        ("/2020/Old-Ferry", Some("/ferry/")),
        ("/about-us", Some("/about/")),
        ("/2020/01/", None),
        ("/2020/01/FERRY.html", None),
    ] {
        assert_eq!(location(&app, path).as_deref(), to, "{path}");
    }
}

#[test]
fn redirect_appears_and_disappears_with_its_file() {
    let app = TestSite::builder()
        .file("posts/ferry.md", ferry("aliases: [/old/]"))
        .start();
    assert_eq!(location(&app, "/old/").as_deref(), Some("/ferry/"));

    app.write_file("posts/ferry.md", ferry("slug: boat\naliases: [/old/]"));
    wait_until("the alias redirects to the new slug", || {
        location(&app, "/old/").as_deref() == Some("/boat/")
    });
    app.write_file("posts/ferry.md", ferry("aliases: [/older/]"));
    wait_until("the new alias redirects", || {
        location(&app, "/older/").is_some()
    });
    assert_eq!(location(&app, "/old/"), None);
    app.write_file("posts/ferry.md", ferry("aliases: [/older/]\ndraft: true"));
    wait_until("the alias of the draft is removed", || {
        location(&app, "/older/").is_none()
    });
    app.write_file("posts/ferry.md", ferry("aliases: [/older/]"));
    wait_until("the alias redirects again", || {
        location(&app, "/older/").is_some()
    });
    app.delete_file("posts/ferry.md");
    wait_until("the alias is removed", || {
        location(&app, "/older/").is_none()
    });
}

#[test]
fn current_slugs_and_site_redirects_take_precedence() {
    let app = TestSite::builder()
        .file(
            "posts/ferry.md",
            ferry("aliases: [/knots/, /both/, /content/x/]"),
        )
        .file("posts/knots.md", ferry(""))
        .start();
    assert_eq!(location(&app, "/knots/"), None);
    assert_eq!(location(&app, "/content/x/"), None);
    assert_eq!(location(&app, "/both/").as_deref(), Some("/ferry/"));

    let sent = b"301:\n  /both/: /elsewhere/\n";
    redirects::upload(app.site(), &Actor::Operator, RedirectFormat::Yaml, sent).unwrap();
    assert_eq!(location(&app, "/both/").as_deref(), Some("/elsewhere/"));

    app.delete_file("posts/knots.md");
    wait_until("the slug is free", || {
        location(&app, "/knots/").as_deref() == Some("/ferry/")
    });
}

#[test]
fn redirects_stay_within_the_subdirectory() {
    let app = TestSite::builder()
        .url("http://example.com/blog/")
        .file("posts/ferry.md", ferry("aliases: [/old/]"))
        .start();
    let response = app.get("/blog/old/");
    assert_eq!(response.header("location"), Some("/blog/ferry/"));
    assert_eq!(response.status, 301);
}

#[test]
fn only_reads_are_redirected() {
    let app = TestSite::builder()
        .file("posts/ferry.md", ferry("aliases: [/old/]"))
        .start();
    for (method, status) in [("GET", 301), ("HEAD", 301), ("POST", 404), ("PUT", 404)] {
        // The admin app sends POST requests with this parameter to the front page.
        let response = app.send(method, "/old/?admin_toolbar=1", "", "");
        assert_eq!(response.status, status, "{method}");
    }
}
