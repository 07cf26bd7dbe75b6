//! Bodies that would become far more than they are: refused while they are read, by a limit that the answer names.

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    http_client::Answer,
    staffed_site::{ADMIN, Ask, StaffedSite, Who},
};

fn post(site: &StaffedSite, endpoint: &str, body: &str) -> Answer {
    let ask = Ask::new("POST", &format!("{ADMIN}/{endpoint}"))
        .header("content-type", "application/json")
        .bytes(body);
    site.send(&Who::Integration, &ask)
}

fn error(answer: &Answer) -> Value {
    answer.json()["errors"][0].clone()
}

#[test]
fn json_has_so_many_values_for_its_length_and_no_more() {
    let site = StaffedSite::start(TestApp::builder());
    let of = |value: &str, count: usize| {
        let values = vec![value; count].join(",");
        format!(r#"{{"tags":[{{"name":"Much","unknown":[{values}]}}]}}"#)
    };
    for (value, taken, refused) in [
        ("0", 20_000, 500_000),
        ("{}", 5000, 100_000),
        ("[0]", 5000, 100_000),
    ] {
        let answer = post(&site, "tags/", &of(value, taken));
        assert_eq!(
            answer.status,
            201,
            "{taken} times {value}: {}",
            answer.text()
        );
        let answer = post(&site, "tags/", &of(value, refused));
        assert_eq!(
            answer.status,
            413,
            "{refused} times {value}: {}",
            answer.text()
        );
        let context = error(&answer)["context"].to_string();
        assert!(
            context.contains("4 MiB of memory, and 6 bytes for each"),
            "{context}"
        );
    }
}

#[test]
fn a_document_that_is_too_large_is_refused_by_its_field() {
    let site = StaffedSite::start(TestApp::builder());
    let html = "<table><b>".repeat(100_000);
    let record = json!({"posts": [{"title": "Much", "html": html}]});
    let answer = post(&site, "posts/?source=html", &record.to_string());
    assert_eq!(answer.status, 422, "{}", answer.text());
    let error = error(&answer);
    assert_eq!(error["property"], "html");
    let context = error["context"].to_string();
    assert!(
        context.contains("The document is too large")
            || context.contains("the document is too large"),
        "{context}"
    );
}
