//! Tests that the metrics page is valid Prometheus text with correct values.

use std::collections::{BTreeMap, HashSet};

use galley::metrics::FAMILIES;
use galley_tests::{
    TestSite,
    http_client::{HttpResponse, send_raw},
};

/// Starts a site with two posts, a page and a broken file.
fn app() -> TestSite {
    TestSite::builder()
        .option("metrics.listen", "127.0.0.1:0")
        .file(
            "posts/2026-01-01-one.md",
            "+++\ntitle = \"One\"\n+++\n\nText.\n",
        )
        .file("drafts/two.md", "+++\ntitle = \"Two\"\n+++\n\nText.\n")
        .file("pages/about.md", "+++\ntitle = \"About\"\n+++\n")
        .file("posts/broken.md", "+++\ntitle = \n+++\n")
        .start()
}

fn request(app: &TestSite, method: &str, path: &str) -> HttpResponse {
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    send_raw(app.metrics_address(), request)
}

fn values(app: &TestSite) -> BTreeMap<String, f64> {
    let response = request(app, "GET", "/metrics");
    assert_eq!(response.status, 200);
    parse(response.text()).1
}

fn is_name(text: &str, others: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || others.contains(character);
    !text.is_empty() && text.chars().all(fits) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Parses the labels of a metric, without the braces.
fn labels(mut text: &str) -> Vec<(String, String)> {
    let mut labels = Vec::new();
    while !text.is_empty() {
        let (name, rest) = text.split_once("=\"").expect("a label");
        assert!(is_name(name, "_"), "{name} is not the name of a label");
        let end = rest
            .char_indices()
            .find(|&(offset, character)| character == '"' && !rest[..offset].ends_with('\\'))
            .expect("a label has a closing quote");
        labels.push((name.to_owned(), rest[..end.0].to_owned()));
        text = &rest[end.0 + 1..];
        text = text.strip_prefix(',').unwrap_or(text);
    }
    labels
}

/// Parses a metrics page strictly by the description of the text format (version 0.0.4). Returns the families in order, and
/// each value by its name and labels.
fn parse(page: &str) -> (Vec<String>, BTreeMap<String, f64>) {
    assert!(page.ends_with('\n'), "the last line has no line break");
    let mut families = Vec::new();
    let mut values = BTreeMap::new();
    let (mut family, mut kind) = (String::new(), String::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, about) = help.split_once(' ').expect("a text");
            assert!(!about.is_empty() && !about.contains('\\'));
            assert!(is_name(name, "_:"), "{name} is not a name");
            let type_line = lines.next().and_then(|line| line.strip_prefix("# TYPE "));
            let (typed, kind_text) = type_line.expect("a type").split_once(' ').expect("a type");
            assert_eq!(typed, name);
            assert!(["counter", "gauge", "histogram"].contains(&kind_text));
            assert!(
                (kind_text == "counter") == name.ends_with("_total"),
                "{name} is a {kind_text}"
            );
            (family, kind) = (name.to_owned(), kind_text.to_owned());
            families.push(family.clone());
            continue;
        }
        let (key, value) = line.rsplit_once(' ').expect("a value");
        let (name, inner) = match key.split_once('{') {
            Some((name, inner)) => (
                name,
                inner.strip_suffix('}').expect("labels end with a brace"),
            ),
            None => (key, ""),
        };
        let labels = labels(inner);
        let names: HashSet<_> = labels.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), labels.len(), "a label is repeated: {line}");
        let ending = name.strip_prefix(family.as_str()).expect("its family");
        let endings: &[&str] = match kind.as_str() {
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        assert!(endings.contains(&ending), "{line} is not of {family}");
        assert_eq!(ending == "_bucket", names.contains(&"le".to_owned()));
        let value: f64 = value.parse().expect("a number");
        assert!(value >= 0.0, "{line}");
        let before = values.insert(key.to_owned(), value);
        assert!(before.is_none(), "{key} is exposed twice");
    }
    (families, values)
}

#[test]
fn each_metric_family_is_exposed_once_with_type_and_histograms_add_up() {
    let app = app();
    let response = request(&app, "GET", "/metrics");
    assert_eq!(
        response.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let (families, values) = parse(response.text());
    let known: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
    assert_eq!(families, known);
    for (key, all) in values.iter().filter(|(key, _)| key.contains("_count")) {
        let (name, labels) = key.split_once("_count").unwrap();
        let labels = labels.trim_matches(['{', '}']);
        let mut buckets: Vec<_> = values
            .iter()
            .filter(|(key, _)| key.starts_with(&format!("{name}_bucket{{{labels}")))
            .map(|(key, count)| {
                let (_, bound) = key.split_once("le=\"").unwrap();
                let bound: f64 = bound.trim_end_matches("\"}").parse().unwrap();
                (bound, *count)
            })
            .collect();
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(buckets.is_sorted_by_key(|(_, count)| *count), "{key}");
        assert_eq!(buckets.last(), Some(&(f64::INFINITY, *all)), "{key}");
    }
}

#[test]
fn requests_are_counted_by_route_and_status() {
    let app = app();
    let list = format!("/ghost/api/content/posts/?key={}", app.content_key());
    let mut bytes = 0;
    for _ in 0..3 {
        bytes += app.send("GET", &list, "", "").body.len();
    }
    app.send("GET", "/ghost/api/content/posts/?key=wrong", "", "");
    app.send("GET", "/ghost/api/content/posts?key=wrong", "", "");
    app.send("POST", "/ghost/api/admin/posts/", "", "{}");
    app.send("GET", "/content/images/none.png", "", "");
    app.send("DELETE", "/elsewhere/", "", "");
    app.send("OPTIONS", "/ghost/api/admin/posts/", "", "");

    let values = values(&app);
    let requests = |method: &str, kind: &str, status: &str| {
        let labels = format!("{{method=\"{method}\",kind=\"{kind}\",status=\"{status}\"}}");
        values[&format!("galley_http_requests_total{labels}")]
    };
    assert_eq!(requests("read", "content", "2xx"), 3.0);
    assert_eq!(requests("read", "content", "3xx"), 0.0);
    assert_eq!(requests("read", "content", "4xx"), 2.0);
    assert_eq!(requests("write", "admin", "4xx"), 1.0);
    assert_eq!(requests("read", "file", "4xx"), 1.0);
    assert_eq!(requests("write", "other", "4xx"), 1.0);
    assert_eq!(requests("other", "admin", "2xx"), 1.0);
    let all: f64 = values
        .iter()
        .filter(|(key, _)| key.starts_with("galley_http_requests_total"))
        .map(|(_, count)| count)
        .sum();
    assert_eq!(all, 9.0);
    let timed = "galley_http_request_duration_seconds_count{kind=\"content\"}";
    assert_eq!(values[timed], 5.0);
    assert!(values["galley_http_request_duration_seconds_sum{kind=\"content\"}"] > 0.0);
    assert_eq!(values["galley_http_answers_from_memory_total"], 2.0);
    assert!(values["galley_answer_cache_bytes"] > 0.0);
    assert!(values["galley_http_sent_bytes_total"] > bytes as f64);
    assert_eq!(values["galley_http_connections_opened_total"], 9.0);
    assert!(values["galley_http_connections_open"] <= 1.0);
}

#[test]
fn gauges_show_the_current_site() {
    let app = app();
    let before = values(&app);
    assert_eq!(before["galley_posts{status=\"published\"}"], 1.0);
    assert_eq!(before["galley_posts{status=\"draft\"}"], 1.0);
    assert_eq!(before["galley_pages{status=\"published\"}"], 1.0);
    assert_eq!(before["galley_records{kind=\"integrations\"}"], 1.0);
    assert_eq!(before["galley_content_problems{severity=\"error\"}"], 1.0);
    assert!(before["galley_content_files"] >= 4.0);
    assert_eq!(before["galley_members{status=\"free\"}"], 0.0);
    assert!(!before.contains_key("galley_git_up"));
    for (work, leads) in [
        ("source", 1.0),
        ("scheduler", 1.0),
        ("webhooks", 1.0),
        ("backups", 0.0),
    ] {
        assert_eq!(
            before[&format!("galley_leads{{work=\"{work}\"}}")],
            leads,
            "{work}"
        );
    }

    app.site()
        .write(|transaction| transaction.add_integration("Another", None))
        .unwrap();

    let after = values(&app);
    let grown = |key: &str| after[key] - before[key];
    assert_eq!(grown("galley_records{kind=\"integrations\"}"), 1.0);
    assert_eq!(grown("galley_store_revision"), 1.0);
    assert_eq!(grown("galley_store_commit_duration_seconds_count"), 1.0);
    assert_eq!(after["galley_store_commit_failures_total"], 0.0);
    assert!(after["galley_store_bytes"] > 10_000.0);
    assert!(after["process_resident_memory_bytes"] > 1e6);
    assert!(after["process_open_fds"] < after["process_max_fds"]);
    let version = format!(
        "galley_build_info{{version=\"{}\"}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(after[&version], 1.0);
}

#[test]
fn metrics_port_serves_only_metrics_and_the_site_serves_none() {
    let app = app();
    assert_eq!(request(&app, "GET", "/").status, 404);
    let posts = format!("/ghost/api/content/posts/?key={}", app.content_key());
    assert_eq!(request(&app, "GET", &posts).status, 404);
    assert_eq!(request(&app, "DELETE", "/metrics").status, 405);
    assert_eq!(app.send("GET", "/metrics/", "", "").status, 404);
}
