//! Tests that all content is imported, exported and deleted.

use std::io::Cursor;

use galley::{admin::db, domain::actor::Actor};
use galley_tests::{Request, TestSite, Who, multipart::Form, request::ADMIN, test_site::filtered};
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{failure, upload};

/// Returns an export with one post.
fn export() -> Vec<u8> {
    let post = json!({
        "id": "63b0000000000000000000a1", "title": "Night ferry", "slug": "night-ferry", "status": "published",
        "published_at": "2025-01-05T10:00:00.000Z", "html": "<p>We left at dusk.</p>",
    });
    let export = json!({"db": [{"meta": {"version": "6.65.0"}, "data": {"posts": [post]}}]});
    export.to_string().into_bytes()
}

fn form(name: &str, content: &[u8]) -> Form {
    Form::default().file("importfile", name, "application/json", content)
}

#[test]
fn imported_content_can_be_exported_again() {
    let site = TestSite::staffed();
    let response = upload(&site, "db/", form("export.json", &export()));
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(response.json()["problems"].is_array());
    assert_eq!(
        site.read("posts/?fields=slug")["posts"],
        json!([{"slug": "night-ferry"}])
    );

    let exported = site.ask("GET", "db/", None);
    let disposition = exported.header("content-disposition").unwrap();
    assert!(
        disposition.starts_with("Attachment; filename=\"reference.ghost."),
        "{disposition}"
    );
    let data = exported.json()["db"][0]["data"].clone();
    assert_eq!(data["posts"][0]["slug"], "night-ferry");
    let secrets = ["$argon2", "$2a$", "$2b$"];
    assert!(secrets.iter().all(|mark| !exported.text().contains(mark)));
}

#[test]
fn last_second_of_9999_survives_requests_exports_and_imports() {
    const NEVER: &str = "9999-12-31T23:59:59.000Z";
    let site_one = TestSite::staffed();
    let dates = [
        NEVER,
        "9999-12-31T00:00:00.000Z",
        "9999-12-30T22:00:00.000Z",
    ];
    for date in dates {
        let post = json!({"posts": [{"title": "T", "status": "scheduled", "published_at": date}]});
        let added = site_one.ask("POST", "posts/", Some(&post));
        assert_eq!(
            added.json()["posts"][0]["published_at"],
            date,
            "{}",
            added.text()
        );
    }
    let too_late = json!({"posts": [{"title": "T", "published_at": "9999-12-31T23:59:59-01:00"}]});
    let refused = site_one.ask("POST", "posts/", Some(&too_late));
    let expected = (422, "ValidationError".to_owned(), json!("published_at"));
    assert_eq!(failure(&refused), expected);
    assert!(
        refused.text().contains("9999-12-31T23:59:59Z"),
        "{}",
        refused.text()
    );

    let exported = site_one.ask("GET", "db/", None).json();
    let site_two = TestSite::staffed();
    let imported = upload(
        &site_two,
        "db/",
        form("export.json", exported.to_string().as_bytes()),
    );
    assert_eq!(imported.status, 200, "{}", imported.text());

    for site in [&site_one, &site_two] {
        let list = site.read("posts/?fields=published_at&order=published_at%20desc");
        let listed = list["posts"].as_array().unwrap().iter();
        assert_eq!(
            listed.map(|post| &post["published_at"]).collect::<Vec<_>>(),
            dates
        );
        for (condition, count) in [("", 1), ("<", 2), (">", 0)] {
            let filter = format!("published_at:{condition}'{NEVER}'");
            let found = site.read(&filtered("posts", &filter));
            assert_eq!(found["posts"].as_array().unwrap().len(), count, "{filter}");
        }
    }
}

#[test]
fn invalid_import_is_rejected_with_the_reason_and_without_changes() {
    let site = TestSite::staffed();
    let broken = upload(&site, "db/", form("export.json", b"{\"db\": ["));
    assert_eq!(broken.status, 400, "{}", broken.text());
    let members = upload(&site, "db/", form("members.csv", b"email\na@b.example\n"));
    assert_eq!(members.status, 415, "{}", members.text());
    let other = Form::default().file("file", "export.json", "application/json", &export());
    let other = upload(&site, "db/", other);
    assert_eq!(other.json()["errors"][0]["code"], "LIMIT_UNEXPECTED_FILE");
    let none = upload(&site, "db/", Form::default().field("a", "b"));
    assert_eq!(
        failure(&none),
        (422, "ValidationError".to_owned(), Value::Null)
    );
    assert_eq!(site.read("posts/")["posts"], json!([]));
}

#[test]
fn import_of_many_short_rows_is_rejected_by_its_memory_limit() {
    let site = TestSite::staffed();
    let of = |table: &str, row: &str, count: usize| {
        let rows: Vec<String> = (0..count)
            .map(|number| row.replace('#', &number.to_string()))
            .collect();
        let rows = rows.join(",");
        format!(r#"{{"db":[{{"meta":{{"version":"5.0.0"}},"data":{{"{table}":[{rows}]}}}}]}}"#)
    };
    for (table, row) in [
        ("posts", r##"{"title":"#"}"##),
        ("tags", r##"{"id":"#","name":"#"}"##),
        ("users", r##"{"id":"#","email":"#@b.io"}"##),
        ("snippets", r##"{"name":"#"}"##),
    ] {
        let response = upload(
            &site,
            "db/",
            form("export.json", of(table, row, 20_000).as_bytes()),
        );
        let body = response.json();
        let context = body["errors"][0]["context"].as_str().unwrap();
        assert_eq!(response.status, 400, "{table}");
        assert!(
            context.contains("too many rows for its length"),
            "{context}"
        );
        assert!(context.contains("MiB"), "{context}");
    }
    assert_eq!(site.read("tags/")["meta"]["pagination"]["total"], 0);
    // Rows as long as those of real Ghost exports are accepted.
    let description = "A description of a few words. ".repeat(15);
    let row = format!(r##"{{"id":"#","name":"#","description":"{description}"}}"##);
    let response = upload(
        &site,
        "db/",
        form("export.json", of("tags", &row, 8000).as_bytes()),
    );
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn deleting_all_content_needs_a_session_and_keeps_users() {
    let site = TestSite::staffed();
    upload(&site, "db/", form("export.json", &export()));
    let delete = Request::new("DELETE", &format!("{ADMIN}/db/"));
    assert_eq!(site.ask_as(&Who::staff_token("Owner"), &delete).status, 403);
    assert_eq!(site.ask_as(&Who::Integration, &delete).status, 403);
    assert_eq!(site.ask_as(&Who::session("Owner"), &delete).status, 204);
    assert_eq!(site.read("posts/")["posts"], json!([]));
    assert_eq!(site.read("users/")["users"][0]["slug"], "ada");
}

#[test]
fn content_of_files_cannot_be_deleted_and_the_error_names_the_file() {
    let app = TestSite::builder()
        .file("tags/stored.toml", "name = 'Stored'\n")
        .start();
    let error = db::delete_all(app.site(), &Actor::Operator).unwrap_err();
    assert!(error.to_string().contains("tags/stored.toml"), "{error}");
    assert_eq!(app.site().current().catalog.tags.len(), 1);
}

#[test]
fn anonymous_clients_cannot_send_long_bodies() {
    let site = TestSite::staffed();
    let long = vec![b' '; (1 << 20) + 1];
    let tags = Request::new("POST", &format!("{ADMIN}/tags/"))
        .header("content-type", "application/json")
        .bytes(long);
    assert_eq!(site.ask_as(&Who::Anonymous, &tags).status, 413);
    assert_ne!(site.ask_as(&Who::Integration, &tags).status, 413);
}

#[test]
fn only_endpoints_that_take_files_read_forms_longer_than_json() {
    let site = TestSite::staffed();
    let long = vec![b' '; (50 << 20) + 1];
    let upload = |endpoint: &str| {
        let request = Request::new("POST", &format!("{ADMIN}/{endpoint}"))
            .header("content-type", "multipart/form-data; boundary=x")
            .bytes(long.clone());
        site.ask_as(&Who::Integration, &request).status
    };
    assert_eq!(upload("tags/"), 413);
    assert_ne!(upload("images/upload/"), 413);
}

/// Returns the names of the files in the archive of these components.
fn exported_files(site: &TestSite, components: &str) -> Vec<String> {
    let response = site.ask("GET", &format!("exports/download/{components}"), None);
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/zip"));
    let archive = ZipArchive::new(Cursor::new(response.body)).unwrap();
    archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect()
}

#[test]
fn export_is_an_archive_of_the_named_components() {
    let site = TestSite::staffed();
    upload(&site, "db/", form("export.json", &export()));
    let all = exported_files(&site, "");
    for name in [
        "members.csv",
        "post-analytics.csv",
        "export.json",
        "themes/source.zip",
        "redirects.yaml",
        "routes.yaml",
    ] {
        assert!(all.iter().any(|file| file == name), "{name} in {all:?}");
    }
    assert_eq!(
        exported_files(&site, "?components=members,content"),
        ["members.csv", "export.json"]
    );

    let unknown = site.ask("GET", "exports/download/?components=media", None);
    assert_eq!(unknown.json()["errors"][0]["type"], "ValidationError");
}
