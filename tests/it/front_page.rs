//! Tests of the front page, for local and remote visitors.

use std::net::TcpStream;

use data_encoding::BASE64;
use fancy_regex::Regex;
use galley_tests::{
    TestSite,
    http_client::{Client, HttpResponse, send_raw},
    wait_until,
};
use sha2::{Digest, Sha256};

const SITE: &str =
    "title = 'Tides & <i>Winds</i>'\ndescription = 'From \"the\" <harbour>'\nlocale = 'de'\n";
const POST: &str = "---\ntitle: A\ndate: 2025-01-01\n---\nText.\n";
const BROKEN: &str = "---\ntitle: B\nfeatured: maybe\n---\nText.\n";

fn site() -> TestSite {
    TestSite::builder()
        .headless()
        .file("site.toml", SITE)
        .file("posts/a.md", POST)
        .start()
}

/// Sends a GET with only these lines of header fields.
fn get_with(app: &TestSite, target: &str, fields: &str) -> HttpResponse {
    let request = format!("GET {target} HTTP/1.1\r\nconnection: close\r\n{fields}\r\n");
    send_raw(app.address(), request)
}

/// Returns the suggested command, as a browser shows it.
fn suggested_command(page: &HttpResponse) -> String {
    let line = Regex::new("<code id=\"line\">(.*?)</code>").unwrap();
    let line = line.captures(page.text()).unwrap().unwrap();
    line[1].replace("&amp;", "&")
}

#[test]
fn local_visitor_gets_a_working_command() {
    let app = site();
    let host = app.address();

    let page = get_with(&app, "/", &format!("host: {host}\r\n"));

    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let line = suggested_command(&page);
    let start = format!("curl 'http://{host}/ghost/api/content/posts/?");
    assert!(line.starts_with(&start), "{line}");
    let target = line.trim_start_matches(&format!("curl 'http://{host}"));
    let response = app.get(target.trim_end_matches('\''));
    assert_eq!(response.json()["posts"][0]["title"], "A");
    assert!(page.header("cache-control").unwrap().contains("no-store"));
}

#[test]
fn remote_visitor_gets_no_key() {
    let app = site();
    let elsewhere = TestSite::builder()
        .headless()
        .file("posts/a.md", POST)
        .url("https://harbour.example")
        .start();
    for (app, fields) in [
        (&app, "host: localhost\r\nx-forwarded-for: 192.0.2.60\r\n"),
        (&app, "host: localhost\r\nforwarded: for=192.0.2.60\r\n"),
        (&app, "host: localhost\r\nvia: 1.1 proxy\r\n"),
        (&app, "host: localhost\r\nx-request-id: 7\r\n"),
        (&app, "host: localhost\r\nx-azure-clientip: 192.0.2.60\r\n"),
        (&app, "host: rebound.example\r\n"),
        (&elsewhere, "host: localhost\r\n"),
    ] {
        let page = get_with(app, "/", fields);
        assert_eq!(page.status, 200, "{fields}");
        assert!(!page.text().contains(app.content_key()), "{fields}");
        let line = suggested_command(&page);
        let expected = format!(
            "curl '{}/ghost/api/content/posts/?key=YOUR_KEY&",
            app.base()
        );
        assert!(line.starts_with(&expected), "{fields}: {line}");
        assert!(page.text().contains("galley key list"), "{fields}");
    }
}

/// Sends the request that nginx sends if its configuration has only `proxy_pass`.
#[test]
fn visitor_through_an_undeclared_proxy_gets_no_key() {
    let app = site();
    let host = app.address();
    let mut client = Client::new(TcpStream::connect(&host).unwrap());
    client.send(format!(
        "GET / HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n"
    ));
    let page = client.last_response();
    assert_eq!(page.status, 200);
    assert!(!page.text().contains(app.content_key()), "{}", page.text());
}

#[test]
fn absolute_request_target_takes_precedence_over_the_host_field() {
    let app = site();
    let host = app.address();
    let open = |target: &str| {
        let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
        client.send(format!(
            "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ));
        client.last_response()
    };
    for (target, is_local) in [
        (format!("http://{host}/"), true),
        ("http://rebound.example/".to_owned(), false),
        (
            format!(
                "http://rebound.example:{}/",
                host.rsplit_once(':').unwrap().1
            ),
            false,
        ),
    ] {
        let page = open(&target);
        assert_eq!(page.status, 200, "{target}");
        assert_eq!(
            page.text().contains(app.content_key()),
            is_local,
            "{target}"
        );
    }
    assert_eq!(open(&format!("http://user@{host}/")).status, 400);
}

#[test]
fn diagnostics_are_shown_only_to_local_visitors() {
    let app = site();
    let remote = || get_with(&app, "/", "host: localhost\r\nx-real-ip: 192.0.2.60\r\n");
    assert!(
        app.get("/")
            .text()
            .contains("2 content files read, no problems")
    );
    assert!(remote().text().contains("The content is up to date"));

    app.write_file("posts/b.md", BROKEN);

    wait_until("the problem is reported", || {
        app.get("/").text().contains("1 problem")
    });
    assert!(app.get("/").text().contains("<code>posts/b.md:3:11</code>"));
    let page = remote();
    assert!(!page.text().contains("b.md"), "{}", page.text());
    assert!(!page.text().contains("content file"), "{}", page.text());
    assert!(page.text().contains("galley status"), "{}", page.text());
}

#[test]
fn number_of_diagnostics_on_the_page_is_limited() {
    let mut site = TestSite::builder().headless();
    for number in 0..30 {
        let text = format!("---\ntitle: A\nstatus: s{number}\n---\n");
        site = site.file(&format!("posts/{number}.md"), &text);
    }
    let app = site.start();
    let page = app.get("/");
    assert_eq!(page.text().matches(".md:3:9</code>").count(), 20);
    assert!(page.text().contains("And 10 more"), "{}", page.text());
}

#[test]
fn similar_diagnostics_are_grouped_on_the_page() {
    let mut site = TestSite::builder().headless();
    for number in 0..30 {
        site = site.file(&format!("posts/{number}.md"), BROKEN);
    }
    let app = site.start();
    let page = app.get("/");
    assert_eq!(page.text().matches(".md:3:11</code>").count(), 1);
    assert!(
        page.text().contains("</code> and 29 more<br>"),
        "{}",
        page.text()
    );
}

#[test]
fn site_title_is_escaped_on_the_front_page() {
    let page = site().get("/");
    let text = page.text();
    assert!(
        text.contains("<title>Tides &amp; &lt;i&gt;Winds&lt;/i&gt;</title>"),
        "{text}"
    );
    assert!(
        text.contains("<h1 lang=\"de\">Tides &amp; &lt;i&gt;Winds&lt;/i&gt;</h1>"),
        "{text}"
    );
    assert!(text.contains("From \"the\" &lt;harbour&gt;"), "{text}");
    assert!(!text.contains("{{"), "{text}");
    assert!(text.contains("1 published post and 0 pages"), "{text}");
}

#[test]
fn front_page_runs_only_its_own_script_and_loads_nothing() {
    let page = site().get("/");
    let policy = page.header("content-security-policy").unwrap();
    for (tag, name) in [("script", "script-src"), ("style", "style-src")] {
        let inside = Regex::new(&format!("(?s)<{tag}>(.*?)</{tag}>")).unwrap();
        let inside = inside.captures(page.text()).unwrap().unwrap();
        let hash = BASE64.encode(&Sha256::digest(&inside[1]));
        assert!(
            policy.contains(&format!("{name} 'sha256-{hash}';")),
            "{policy}"
        );
    }
    for part in [
        "default-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    for (name, value) in [
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-robots-tag", "noindex, nofollow"),
    ] {
        assert_eq!(page.header(name), Some(value));
    }
    assert_eq!(page.header("access-control-allow-origin"), None);
}

#[test]
fn front_page_responds_304_to_anonymous_clients() {
    let app = site();
    let remote = "host: localhost\r\nvia: 1.1 proxy\r\n";
    let page = get_with(&app, "/?from=elsewhere", remote);
    let tag = page.header("etag").unwrap();
    assert_eq!(page.header("cache-control"), Some("public, max-age=0"));
    let again = get_with(&app, "/", &format!("{remote}if-none-match: {tag}\r\n"));
    assert_eq!(again.status, 304);
    assert_eq!(app.get("/").header("etag"), None);
}

#[test]
fn front_page_allows_only_get_and_head() {
    let app = site();
    let head = app.send("HEAD", "/", "", "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(app.send(method, "/", "", "").status, 404, "{method}");
    }
}

#[test]
fn front_page_is_served_in_the_subdirectory() {
    let app = TestSite::builder()
        .headless()
        .file("posts/a.md", POST)
        .url("http://localhost/blog")
        .option("path_prefix", "cms")
        .start();
    let redirect = app.get("/blog");
    assert_eq!(redirect.status, 301);
    assert_eq!(redirect.header("location"), Some("/blog/"));
    // A proxy may have removed the subdirectory.
    for path in ["/blog/", "/"] {
        let page = app.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text().contains("href=\"/blog/healthz\""), "{path}");
        let start = "curl 'http://localhost/blog/cms/api/content/posts/?";
        assert!(suggested_command(&page).starts_with(start), "{path}");
    }
}

#[test]
fn front_page_says_that_there_are_no_content_files() {
    let app = TestSite::builder().headless().without_content().start();
    assert!(app.get("/").text().contains("There is no content folder"));
}

#[test]
fn start_page_of_a_site_with_a_theme_is_at_the_root_of_the_api() {
    let app = TestSite::builder().option("front_end", "theme").start();
    let browser = "accept: text/html\r\nhost: example.com\r\n";
    let page = get_with(&app, "/ghost/api/", browser);
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(
        page.text().contains("A theme renders this site"),
        "{}",
        page.text()
    );
    assert!(
        !get_with(&app, "/", browser)
            .text()
            .contains("A theme renders this site")
    );
    let program = get_with(
        &app,
        "/ghost/api/",
        "accept: application/json\r\nhost: example.com\r\n",
    );
    assert_eq!(program.status, 404);

    let headless = site();
    assert_eq!(get_with(&headless, "/ghost/api/", browser).status, 404);
    assert!(
        get_with(&headless, "/", browser)
            .text()
            .contains("This site is headless")
    );
}
