//! Tests of notifications about edits that cannot reach the repository.

use galley_tests::{galley_process::GalleyProcess, wait_until};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::{Editor, FERRY, create_owner, with_site_url},
};

#[test]
fn notification_of_an_earlier_process_ends_with_the_outage() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n[staff]\ndevice_verification = false\n";
    let folder = site_of(&origin.url(), 1, settings);
    with_site_url(&folder);
    let made = create_owner(&folder);
    let password = made["password"].as_str().expect("a password");
    let served = GalleyProcess::serve(&folder, &[]);
    let owner = Editor::signed_in(&served, "o@example.com", password);
    let messages = |owner: &Editor| {
        let (_, found) = owner.send("GET", "notifications/", &Value::Null);
        found["notifications"].to_string()
    };
    origin.refuse_pushes(true);
    let ferry = owner.read("night-ferry");
    owner.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the staff are notified", || {
        messages(&owner).contains("1 edit waits for the repository")
    });
    served.stop(Signal::KILL);
    origin.refuse_pushes(false);

    let served = GalleyProcess::serve(&folder, &[]);

    let owner = Editor::signed_in(&served, "o@example.com", password);
    wait_until("the notification is removed", || messages(&owner) == "[]");
}
