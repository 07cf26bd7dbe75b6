//! Tests of `galley status` and `galley members merge`, with and without a server.

use std::path::Path;

use galley::domain::member::Member;
use galley_tests::{command_line::run_on_data, galley_process::GalleyProcess};
use serde_json::{Value, json};

use super::{add_members, add_records, label, member};

fn output(folder: &Path, arguments: &[&str]) -> String {
    run_on_data(folder, arguments).stdout().to_owned()
}

fn json_output(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    serde_json::from_str(&output(folder, &arguments)).unwrap()
}

/// Adds two pairs of members.
fn add_pairs(folder: &Path) {
    let members = [
        Member {
            labels: vec![label("news", "").id],
            note: Some("First.".into()),
            ..member("Zed@m.example", 0)
        },
        Member {
            name: Some("Zed".into()),
            note: Some("Second.".into()),
            ..member("zed@m.example", 86_400)
        },
        member("Una@m.example", 0),
        member("una@m.example", 1),
        member("other@m.example", 0),
    ];
    add_members(folder, &members);
}

#[test]
fn status_reports_records_that_share_a_name_or_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    add_members(folder, &[member("other@m.example", 0)]);
    assert!(!output(folder, &["status"]).contains("Several"));
    assert_eq!(json_output(folder, &["status"])["duplicates"], Value::Null);

    add_records(folder);
    add_pairs(folder);

    let reported = json_output(folder, &["status"]);
    let sorted = |texts: &Value| {
        let mut texts: Vec<_> = texts.as_array().unwrap().clone();
        texts.sort_by_key(|text| text.to_string());
        texts
    };
    for (index, kind, texts) in [
        (1, "users", ["NEWS@example.com", "News@example.com"]),
        (2, "labels", ["NEWS", "News"]),
        (3, "newsletters", ["NEWS", "News"]),
        (4, "offers", ["NEWS", "News"]),
        (5, "snippets", ["NEWS", "News"]),
    ] {
        let duplicates = &reported["duplicates"][index];
        assert_eq!(duplicates["kind"], kind);
        assert_eq!(duplicates["count"], 1, "{kind}");
        assert_eq!(sorted(&duplicates["listed"][0]), texts, "{kind}");
    }
    let members = &reported["duplicates"][0];
    assert_eq!(
        (&members["kind"], &members["count"]),
        (&json!("members"), &json!(2))
    );
    assert_eq!(
        sorted(&members["listed"][0]),
        ["Una@m.example", "una@m.example"]
    );
    let text = output(folder, &["status"]);
    assert!(
        text.contains("Several members with one address: "),
        "{text}"
    );
    assert!(text.contains("`galley members merge` shows"), "{text}");
    assert!(text.contains("Several labels with one name: "), "{text}");
}

#[test]
fn status_lists_few_of_many_members() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pairs = (0..8).flat_map(|number| {
        let address = format!("m{number}@m.example");
        [member(&address.to_uppercase(), 0), member(&address, 1)]
    });
    add_members(folder, &pairs.collect::<Vec<_>>());

    let text = output(folder, &["status"]);

    assert!(
        text.contains(" and 3 more; `galley members merge`"),
        "{text}"
    );
    assert!(
        text.contains("m4@m.example") && !text.contains("m5@m.example"),
        "{text}"
    );
}

#[test]
fn merge_is_previewed_until_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    add_records(folder);
    add_pairs(folder);
    for arguments in [
        &["members", "merge"][..],
        &["members", "merge", "--all"],
        &["members", "merge", "ZED@m.example"],
    ] {
        let shown = output(folder, arguments);
        assert!(
            shown.contains("Zed@m.example takes over the data of zed@m.example\n"),
            "{shown}"
        );
        for line in [
            "  Name         Zed\n",
            "  Labels       News\n",
            "  Note         First.\\n\\nSecond.\n",
            "  Signed up    2020-09-13T12:26:40Z\n",
            "Nothing was changed. ",
        ] {
            assert!(shown.contains(line), "{line} is not in {shown}");
        }
    }
    let refused = run_on_data(folder, &["members", "merge", "--yes"]);
    let errors = &refused.err;
    assert!(
        errors.contains("--yes needs an address, or --all"),
        "{errors}"
    );
    assert_eq!(
        json_output(folder, &["status"])["duplicates"][0]["count"],
        2
    );

    let merged = output(folder, &["members", "merge", "ZED@m.example", "--yes"]);

    assert!(merged.ends_with("Merged 1 member into 1.\n"), "{merged}");
    assert_eq!(
        json_output(folder, &["status"])["duplicates"][0]["count"],
        1
    );
    let refused = run_on_data(folder, &["members", "merge", "zed@m.example", "--yes"]);
    let errors = &refused.err;
    assert!(
        errors.contains("No two members have the address zed@m.example."),
        "{errors}"
    );
}

#[test]
fn merge_is_executed_by_the_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    add_pairs(folder);
    output(folder, &["key", "create", "--name", "Bot"]);
    // Webhooks are not sent to this machine, so events stay in the queue.
    let add = "webhook add --url http://127.0.0.1:1/ --integration Bot --event";
    for event in ["member.edited", "member.deleted"] {
        let add: Vec<_> = add.split(' ').chain([event]).collect();
        output(folder, &add);
    }
    let process = GalleyProcess::start(folder, &[]);

    let merged = json_output(folder, &["members", "merge", "--all", "--yes"]);

    let merges = merged.as_array().unwrap();
    assert_eq!(merges.len(), 2);
    assert_eq!(merges[0]["kept"]["email"], "Una@m.example");
    assert_eq!(merges[1]["deleted"][0]["email"], "zed@m.example");
    assert_eq!(json_output(folder, &["status"])["duplicates"], Value::Null);
    for webhook in json_output(folder, &["webhook", "list"])
        .as_array()
        .unwrap()
    {
        assert_eq!(webhook["waiting"], 2, "{webhook}");
    }
    process.kill();
    let shown = output(folder, &["members", "merge"]);
    assert_eq!(shown, "No two members share an address.\n");
}
