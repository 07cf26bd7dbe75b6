//! Tests that local visitors can set up a site, and remote visitors only with the one-time link in the log.

use std::net::TcpStream;

use galley::{
    admin::{
        rate_limits::RateLimits,
        set_up,
        setup_link::{LinkCheck, SetupLink},
    },
    error::Kind,
};
use galley_tests::{
    TestSite,
    command_line::run_on_data,
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse, send_raw},
    shared_store::{LocalStore, SharedStore},
    staff::OWNER,
};
use serde_json::json;

const SETUP: &str = "/ghost/api/admin/authentication/setup/";

const FORWARDED: &str = "x-forwarded-for: 192.0.2.60\r\n";

fn site() -> TestSite {
    TestSite::builder().without_content().start()
}

/// Returns the body of a setup request with this password.
fn owner(password: &str) -> String {
    let (name, email, _) = OWNER;
    json!({"setup": [{"name": name, "email": email, "password": password, "blogTitle": "Tides"}]})
        .to_string()
}

/// Sends a request with this request line and these lines of header fields.
fn send(app: &TestSite, line: &str, fields: &str, body: &str) -> HttpResponse {
    let length = body.len();
    let request =
        format!("{line}\r\nconnection: close\r\ncontent-length: {length}\r\n{fields}\r\n{body}");
    send_raw(app.address(), request)
}

fn set_up_with(app: &TestSite, fields: &str) -> HttpResponse {
    let fields = format!("content-type: application/json\r\n{fields}");
    send(
        app,
        &format!("POST {SETUP} HTTP/1.1"),
        &fields,
        &owner(OWNER.2),
    )
}

fn is_set_up(app: &TestSite) -> bool {
    app.get(SETUP).json()["setup"][0]["status"] == true
}

#[test]
fn local_visitor_needs_no_link() {
    for origin in [true, false] {
        let app = site();
        let host = app.address();
        let mut fields =
            format!("host: {host}\r\napp-pragma: no-cache\r\nx-ghost-version: 6.65\r\n");
        if origin {
            fields.push_str(&format!(
                "origin: http://{host}\r\nsec-fetch-site: same-origin\r\n"
            ));
        }
        assert_eq!(set_up_with(&app, &fields).status, 201);
        assert!(is_set_up(&app));
    }
}

#[test]
fn remote_visitor_needs_the_link() {
    let app = site();
    let elsewhere = TestSite::builder()
        .without_content()
        .url("https://harbour.example")
        .start();
    let own = format!("host: {}\r\n", app.address());
    let with = |field: &str| format!("{own}{field}\r\n");
    for (app, fields) in [
        (&app, with("x-forwarded-for: 192.0.2.60")),
        (&app, with("forwarded: for=192.0.2.60")),
        (&app, with("x-real-ip: 192.0.2.60")),
        (&app, with("via: 1.1 proxy")),
        (&app, with("origin: https://evil.example")),
        (&app, with("origin: http://localhost:3000")),
        (&app, with("origin: null")),
        (&app, "host: rebound.example\r\n".to_owned()),
        (&elsewhere, "host: localhost\r\n".to_owned()),
        (&elsewhere, "host: harbour.example\r\n".to_owned()),
    ] {
        let refused = set_up_with(app, &fields);
        assert_eq!(refused.status, 403, "{fields}: {}", refused.text());
        let error = &refused.json()["errors"][0];
        assert_eq!(error["type"], "NoPermissionError", "{fields}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("link") && message.contains("`galley status`"),
            "{message}"
        );
        assert!(!is_set_up(app), "{fields}");
    }
    // The request of nginx with its default configuration.
    let fields = format!("{own}content-type: application/json\r\n");
    let refused = send(
        &app,
        &format!("POST {SETUP} HTTP/1.0"),
        &fields,
        &owner(OWNER.2),
    );
    assert_eq!(refused.status, 403);
    assert!(!is_set_up(&app));
}

#[test]
fn opened_link_permits_the_browser_to_set_up_the_site_once() {
    let app = TestSite::builder()
        .without_content()
        .url("https://harbour.example/blog")
        .option("admin.origin", "https://admin.harbour.example")
        .start();
    let link = app.setup_link();
    assert!(link.starts_with("/blog/ghost/?setup="), "{link}");
    let token = link.split_once('=').unwrap().1;
    assert_eq!(token.len(), 43, "256 bits");
    // A mail scanner may open the link before.
    let scanned = app.send("HEAD", &link, FORWARDED, "");
    assert_eq!(scanned.status, 302);
    let opened = app.send("GET", &link, FORWARDED, "");
    assert_eq!(opened.status, 302);
    let location = "https://admin.harbour.example/blog/ghost/#/setup";
    assert_eq!(opened.header("location"), Some(location));
    assert_eq!(opened.header("referrer-policy"), Some("no-referrer"));
    assert!(opened.header("cache-control").unwrap().contains("no-store"));
    let attributes =
        format!("galley-setup={token}; Path=/blog/ghost; HttpOnly; Secure; SameSite=None");
    assert_eq!(opened.cookies, [attributes]);

    let post = |origin: &str| {
        let fields = format!(
            "{FORWARDED}cookie: a=b; galley-setup={token}\r\norigin: {origin}\r\ncontent-type: application/json\r\n"
        );
        app.send("POST", &format!("/blog{SETUP}"), &fields, &owner(OWNER.2))
    };
    assert_eq!(post("https://evil.example").status, 403);
    let made = post("https://admin.harbour.example");
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(
        made.cookies[0].starts_with("galley-setup=; "),
        "{:?}",
        made.cookies
    );
    assert!(made.cookies[0].contains("Max-Age=0"));

    assert_eq!(post("https://admin.harbour.example").status, 403);
    let again = app.send("GET", &link, FORWARDED, "");
    assert_eq!(
        again.header("location"),
        Some("https://admin.harbour.example/blog/ghost/")
    );
    assert_eq!(again.cookies, [""; 0]);
}

#[test]
fn setup_cookie_is_confined_to_the_site() {
    for (url, attributes) in [
        ("http://harbour.example", "HttpOnly; SameSite=Lax"),
        ("https://harbour.example", "HttpOnly; Secure; SameSite=Lax"),
    ] {
        let app = TestSite::builder().without_content().url(url).start();
        let opened = app.get(&app.setup_link());
        assert!(
            opened.cookies[0].ends_with(&format!("; Path=/ghost; {attributes}")),
            "{:?}",
            opened.cookies
        );
        let fields = format!(
            "host: harbour.example\r\ncookie: {}\r\n",
            app.setup_cookie()
        );
        assert_eq!(set_up_with(&app, &fields).status, 201);
    }
}

#[test]
fn wrong_tokens_are_rate_limited_per_client() {
    let app = site();
    let wrong = "A".repeat(43);
    let from = |client: u8, token: &str| {
        let fields = format!(
            "host: harbour.example\r\nx-forwarded-for: 192.0.2.{client}\r\ncookie: galley-setup={token}\r\n"
        );
        set_up_with(&app, &fields)
    };
    let link = app.setup_link();
    let token = link.split_once('=').unwrap().1;
    for number in 0..5 {
        let refused = if number % 2 == 0 {
            from(1, &wrong)
        } else {
            app.send(
                "GET",
                &format!("/ghost/?setup={number}"),
                "x-forwarded-for: 192.0.2.1\r\n",
                "",
            )
        };
        assert_eq!(refused.status, 403, "{number}");
    }
    assert_eq!(from(1, &wrong).status, 429);
    assert_eq!(
        from(1, token).status,
        429,
        "the correct token is refused, too"
    );
    let opened = app.send("GET", &link, "x-forwarded-for: 192.0.2.1\r\n", "");
    assert_eq!(opened.status, 429);
    assert!(!is_set_up(&app));
    assert_eq!(from(2, token).status, 201);
}

#[test]
fn setup_link_is_a_form_without_the_admin_app() {
    let app = TestSite::builder()
        .without_content()
        .url("https://harbour.example")
        .option("staff.device_verification", "false")
        .start();
    let link = app.setup_link();
    let page = app.send("GET", &link, FORWARDED, "");
    assert_eq!(page.status, 200);
    let form = page.text();
    assert!(
        form.contains("<form method=\"post\">") && form.contains("type=\"password\""),
        "{form}"
    );
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert!(page.header("cache-control").unwrap().contains("no-store"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("form-action 'self'"), "{policy}");

    let post = |link: &str, password: &str| {
        let fields = format!(
            "{FORWARDED}content-type: application/x-www-form-urlencoded\r\norigin: null\r\n"
        );
        let form = format!(
            "title=Tides+%26+Winds&name=%22Ada%22&email=ada%40harbour.example&password={password}"
        );
        app.send("POST", link, &fields, &form)
    };
    let refused = post(&link, "short");
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("value=\"&quot;Ada&quot;\""),
        "{}",
        refused.text()
    );
    assert!(!refused.text().contains("short"), "{}", refused.text());
    assert_eq!(post("/ghost/?setup=wrong", "Sup3r-secret-pw!").status, 403);
    assert!(!is_set_up(&app));

    let made = post(&link, "Sup3r-secret-pw!");
    assert_eq!(made.status, 200, "{}", made.text());
    assert!(
        made.text().contains("galley admin install"),
        "{}",
        made.text()
    );
    assert!(is_set_up(&app));
    let session = json!({"username": "ada@harbour.example", "password": "Sup3r-secret-pw!"});
    let fields = "content-type: application/json\r\norigin: https://harbour.example\r\n";
    let signed_in = app.send(
        "POST",
        "/ghost/api/admin/session/",
        fields,
        &session.to_string(),
    );
    assert_eq!(signed_in.status, 201, "{}", signed_in.text());
    assert_eq!(post(&link, "An0ther-secret-pw!").status, 403);
}

#[test]
fn log_and_status_show_the_link_and_requests_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let process = GalleyProcess::start(folder.path(), &[("GALLEY_URL", "http://harbour.example")]);
    let status = || run_on_data(&folder, &["status"]).out;
    let report = || run_on_data(&folder, &["status", "--json"]).json();
    let text = status();
    let (_, link) = text.split_once("Set up this site: ").expect(&text);
    let link = link.lines().next().unwrap().to_owned();
    assert!(
        link.starts_with("http://harbour.example/ghost/?setup="),
        "{link}"
    );
    assert_eq!(report()["setup_url"], *link);
    let token = link.split_once('=').unwrap().1;

    let mut client = Client::new(TcpStream::connect(process.address()).unwrap());
    client.send(format!(
        "GET /ghost/?setup={token} HTTP/1.1\r\nhost: harbour.example\r\n\r\n"
    ));
    assert_eq!(client.respond().status, 200);
    let body = owner(OWNER.2);
    client.send(format!(
        "POST {SETUP} HTTP/1.1\r\nhost: harbour.example\r\ncookie: galley-setup={token}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ));
    assert_eq!(client.respond().status, 201);

    let log = process.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(token)).collect();
    assert!(
        matches!(lines[..], [line] if line.contains("Set up this site: ")),
        "{lines:?}"
    );
    assert!(!status().contains("Set up"));
    assert_eq!(report().get("setup_url"), None);
    // A site with an owner has no setup link.
    process.kill();
    let before = process.log().len();
    let again = GalleyProcess::start(folder.path(), &[]);
    assert!(!again.log()[before..].contains("Set up this site"));
}

#[test]
fn setup_links_are_valid_on_all_processes_until_there_is_an_owner() {
    use std::sync::Arc;

    use galley::{clock::SystemClock, site::Site};

    let shared = LocalStore::in_memory();
    let open = || Site::open(shared.open(), Arc::new(SystemClock)).unwrap();
    let (one, other) = (open(), open());
    let [link, other_link] = [&one, &other].map(|site| SetupLink::create(site).unwrap());
    let rate_limits = RateLimits::default();
    let token = |link: &SetupLink| {
        let url = link.url(&one.current(), "http://x/").unwrap();
        url.split_once('=').unwrap().1.to_owned()
    };
    let tokens = [token(&link), token(&other_link)];
    let admit = |site: &Site, link, token: &str| {
        site.follow().unwrap();
        let check = LinkCheck {
            link: Some(link),
            site,
            snapshot: &site.current(),
            rate_limits: &rate_limits,
            client: [192, 0, 2, 1].into(),
        };
        check.admit(token).map_err(|error| error.kind())
    };
    for token in &tokens {
        assert_eq!(admit(&one, &link, token), Ok(()));
        assert_eq!(admit(&other, &other_link, token), Ok(()));
    }
    assert_eq!(admit(&one, &link, &"A".repeat(43)), Err(Kind::NoPermission));

    let (name, email, password) = OWNER;
    let setup = set_up::SetUp {
        name,
        email,
        password: &galley::domain::password::Password::new(password),
        site_title: None,
        subdirectory: "",
        site: &url::Url::parse("http://x/").unwrap(),
    };
    set_up::set_up(&one, &setup).unwrap();
    for token in &tokens {
        assert_eq!(admit(&other, &other_link, token), Err(Kind::NoPermission));
    }
    let digest = galley::domain::secret::Digest::of(&tokens[0]);
    assert!(!one.current().has_setup_link(&digest).unwrap());
}
