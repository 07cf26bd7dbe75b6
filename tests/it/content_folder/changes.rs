//! Tests of changes of a content folder.

use std::{
    ffi::OsStr,
    fs::{self, File, FileTimes},
    os::unix::{ffi::OsStrExt, fs::symlink},
    sync::Mutex,
    time::{Duration, SystemTime},
};

use galley::{domain::post::Visibility, error::Kind, progress::Progress};
use galley_tests::{
    folder::{Folder, post, post_with},
    seeded_site::Seeded,
};

#[test]
fn unchanged_files_cause_no_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("site.toml", "title = \"T\"\n"),
    ]);
    let mut seeded = Seeded::from(&folder);
    let revision = seeded.revision();
    seeded.run();
    let file = File::open(folder.at("posts/a.md")).expect("the file opens");
    let times = FileTimes::new().set_modified(SystemTime::now() + Duration::from_secs(60));
    file.set_times(times).expect("the file is touched");
    seeded.run();
    seeded.run_hinted(&["posts/a.md"]);
    folder.write("posts/a.md", post("A", ""));
    seeded.run();
    assert_eq!(seeded.revision(), revision);
    drop(seeded);
    assert_eq!(Seeded::from(&folder).revision(), revision);
}

#[test]
fn file_metadata_is_stored_once_at_the_next_start() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let revision = Seeded::from(&folder).revision();
    std::thread::sleep(Duration::from_millis(2100));
    assert_eq!(Seeded::from(&folder).revision(), revision + 1);
    assert_eq!(Seeded::from(&folder).revision(), revision + 1);
}

#[test]
fn all_changes_become_visible_in_one_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut seeded = Seeded::from(&folder);
    let revision = seeded.revision();
    folder.write("posts/a.md", post("A 2", ""));
    folder.remove("posts/b.md");
    folder.write(
        "posts/c.md",
        post_with("C", "tags = [\"New\"]\nauthors = [\"Ada\"]", ""),
    );
    seeded.run();
    assert_eq!(seeded.revision(), revision + 1);
    assert_eq!(seeded.list("posts", "title").len(), 2);
}

#[test]
fn deleted_file_removes_its_records() {
    let folder = Folder::with(&[
        (
            "posts/a.md",
            &post_with("A", "tags = [\"Sea\"]\nauthors = [\"Ada\"]", ""),
        ),
        ("tags/b.toml", "name = \"B\"\n"),
        ("authors/c.toml", "name = \"C\"\n"),
        (
            "tiers/d.toml",
            "name = \"D\"\ntype = \"paid\"\nyearly_price = 70\ncurrency = \"eur\"\n",
        ),
        ("newsletters/e.toml", "name = \"E\"\n"),
        ("pages/f.md", &post("F", "")),
    ]);
    let empty = Seeded::from(&Folder::new()).responses();
    let mut seeded = Seeded::from(&folder);
    assert_ne!(seeded.responses(), empty);
    fs::remove_dir_all(folder.content()).expect("the folder is removed");
    fs::create_dir(folder.content()).expect("an empty folder");
    seeded.run();
    assert_eq!(seeded.responses(), empty);
}

#[test]
fn renamed_file_gets_the_slug_of_its_new_name() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "[b](b.md)")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut seeded = Seeded::from(&folder);
    folder.rename("posts/b.md", "posts/2024/c.md");
    let problems = seeded.run();
    assert!(
        problems[0].contains("link target not found: posts/b.md"),
        "{problems:?}"
    );
    assert_eq!(seeded.post("c")["title"], "B");
    assert!(seeded.post("b").is_null());
    folder.rename("posts/2024/c.md", "pages/c.md");
    seeded.run();
    assert_eq!(seeded.list("pages", "slug"), ["c"]);
    assert_eq!(seeded.list("posts", "slug"), ["a"]);
}

#[test]
fn renamed_or_removed_folder_affects_its_files() {
    let folder = Folder::with(&[
        ("posts/old/a/index.md", &post("A", "![](x.png)")),
        ("posts/old/a/x.png", "png"),
        ("posts/old/b.md", &post("B", "[a](a/index.md)")),
    ]);
    let mut seeded = Seeded::from(&folder);
    let revision = seeded.revision();
    folder.rename("posts/old", "posts/new");
    assert!(seeded.run().is_empty());
    assert!(
        seeded
            .html("a")
            .contains("/content/images/posts/new/a/x.png")
    );
    assert!(seeded.html("b").contains("href=\"https://example.com/a/\""));
    assert_eq!(seeded.revision(), revision + 1);
    fs::remove_dir_all(folder.at("posts/new")).expect("the folder is removed");
    seeded.run();
    assert!(seeded.list("posts", "slug").is_empty());
}

#[test]
fn links_are_followed_only_inside_the_folder() {
    let folder = Folder::with(&[("drafts-of-ada/a.md", &post("A", ""))]);
    let outside = Folder::with(&[("secret.md", &post("Secret", ""))]);
    fs::create_dir(folder.at("posts")).expect("a folder");
    let link =
        |target: &std::path::Path, path: &str| symlink(target, folder.at(path)).expect("a link");
    link(&folder.at("drafts-of-ada"), "posts/linked");
    link(&folder.at("drafts-of-ada/a.md"), "posts/b.md");
    link(&outside.at("secret.md"), "posts/secret.md");
    link(&folder.at("nowhere.md"), "posts/dangling.md");
    link(&folder.content(), "posts/circle");
    let mut seeded = Seeded::open(&folder);
    let problems = seeded.run();
    let mut slugs = seeded.list("posts", "slug");
    slugs.sort();
    assert_eq!(slugs, ["a", "b"]);
    for (file, what) in [
        ("posts/secret.md", "points outside of the content folder"),
        ("posts/dangling.md", "cannot be read"),
        ("posts/circle", "part of a loop"),
    ] {
        let problem = problems.iter().find(|problem| problem.contains(file));
        assert!(
            problem.is_some_and(|problem| problem.contains(what)),
            "{file}: {problems:?}"
        );
    }
    // A change of the target also updates the record of the symbolic link.
    folder.write("drafts-of-ada/a.md", post("A 2", ""));
    seeded.run_hinted(&["drafts-of-ada/a.md"]);
    assert_eq!(seeded.post("b")["title"], "A 2");
}

#[test]
fn name_that_is_not_utf_8_is_reported_and_others_are_used() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let name = OsStr::from_bytes(b"posts/caf\xe9.md");
    fs::write(folder.content().join(name), post("Café", "")).expect("the file is written");
    let mut seeded = Seeded::open(&folder);
    let problems = seeded.run();
    assert!(
        problems[0].contains("the name is not UTF-8"),
        "{problems:?}"
    );
    assert!(
        seeded.run().is_empty(),
        "an unchanged problem is reported again"
    );
    assert_eq!(seeded.problems().len(), 1);
    assert_eq!(seeded.list("posts", "slug"), ["a"]);
}

#[test]
fn temporary_files_of_editors_are_ignored() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/.a.md.swp", "x"),
        ("posts/a.md~", "x"),
        ("posts/#a.md#", "x"),
        ("posts/.git/b.md", &post("B", "")),
        ("posts/README.md", "Read me"),
        ("posts/_index.md", "x"),
    ]);
    let seeded = Seeded::from(&folder);
    assert_eq!(seeded.list("posts", "slug"), ["a"]);
    assert_eq!(seeded.reconciler.report().files, 1);
}

#[test]
fn changed_time_zone_or_default_visibility_rereads_all_files() {
    let folder = Folder::with(&[
        ("site.toml", "timezone = \"Europe/Berlin\"\n"),
        (
            "posts/a.md",
            "+++\ntitle = \"A\"\ndate = 2025-07-05\n+++\nText\n",
        ),
    ]);
    let mut seeded = Seeded::from(&folder);
    assert_eq!(
        seeded.post("a")["published_at"],
        "2025-07-05T00:00:00.000+02:00"
    );
    let revision = seeded.revision();
    folder.write(
        "site.toml",
        "timezone = \"Asia/Tokyo\"\ndefault_content_visibility = \"members\"\n",
    );
    seeded.run_hinted(&["site.toml"]);
    let post = seeded.post("a");
    assert_eq!(post["published_at"], "2025-07-05T00:00:00.000+09:00");
    assert_eq!(post["visibility"], "members");
    assert_eq!(seeded.revision(), revision + 1);
}

#[test]
fn default_tiers_chosen_by_staff_apply_to_content_files() {
    let folder = Folder::with(&[
        ("tiers/gold.toml", "name = \"Gold\"\n"),
        ("posts/a.md", &post("A", "")),
    ]);
    let mut seeded = Seeded::from(&folder);
    let gold = seeded
        .site
        .current()
        .catalog
        .tiers
        .by_slug("gold")
        .map(|tier| tier.id);
    let gold = gold.expect("the tier exists");
    let chosen = serde_json::json!([gold.to_string()]);
    let chosen = [("default_content_visibility_tiers".to_owned(), chosen)];
    seeded
        .site
        .write_once(|transaction| transaction.edit_settings(chosen.into()))
        .expect("the setting is stored");
    folder.write("site.toml", "default_content_visibility = \"tiers\"\n");
    seeded.run_hinted(&["site.toml"]);
    let snapshot = seeded.site.current();
    let post = snapshot
        .catalog
        .posts
        .by_slug("a")
        .expect("the post exists");
    assert_eq!(
        (post.visibility, &*post.tiers),
        (Visibility::Tiers, &[gold][..])
    );
}

#[test]
fn invalid_site_file_keeps_the_time_zone() {
    let folder = Folder::with(&[
        ("site.toml", "timezone = \"Europe/Berlin\"\n"),
        (
            "posts/a.md",
            "+++\ntitle = \"A\"\ndate = 2025-07-05\n+++\nText\n",
        ),
    ]);
    let mut seeded = Seeded::from(&folder);
    let responses = seeded.responses();
    folder.write("site.toml", "timezone = \"Nowhere/Land\"\n");
    assert!(seeded.run()[0].contains("site.toml:1:12"));
    assert_eq!(seeded.responses(), responses);
}

#[test]
fn unreadable_folder_does_not_remove_its_posts() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "![](a.png)")),
        ("posts/a.png", "png"),
    ]);
    let mut seeded = Seeded::from(&folder);
    let responses = seeded.responses();
    fs::rename(folder.content(), folder.top().join("away")).expect("the folder is moved");
    let problems = seeded.run();
    assert!(
        problems[0].contains("the content folder cannot be read"),
        "{problems:?}"
    );
    assert_eq!(seeded.responses(), responses);
    fs::rename(folder.top().join("away"), folder.content()).expect("the folder is moved back");
    assert!(seeded.run().is_empty());
    assert!(seeded.problems().is_empty());
    assert_eq!(seeded.responses(), responses);
}

/// Writes a file in each attempt, after all files are read and before the first is converted, as long as it has texts left.
struct ConcurrentWriter<'a>(&'a Folder, Mutex<Vec<String>>);

impl Progress for ConcurrentWriter<'_> {
    fn advance(&self, done: u64, _total: u64) {
        if done > 0 {
            return;
        }
        let text = self.1.lock().expect("no panic").pop();
        if let Some(text) = text {
            self.0.write("posts/a.md", text);
        }
    }
}

#[test]
fn file_saved_during_a_read_is_read_again() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let mut seeded = Seeded::open(&folder);
    let writer = ConcurrentWriter(
        &folder,
        Mutex::new(vec![post_with("A 2", "slug = \"other\"", "")]),
    );
    seeded
        .reconciler
        .run(None, &writer)
        .expect("the second attempt succeeds");
    assert_eq!(seeded.list("posts", "title"), ["A 2"]);
    assert_eq!(seeded.list("posts", "slug"), ["other"]);
}

#[test]
fn constantly_saved_file_fails_the_run_without_changes() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut seeded = Seeded::from(&folder);
    let before = seeded.responses();
    folder.write("posts/a.md", post("A 0", ""));
    folder.write("posts/b.md", post("B 2", ""));
    let saves = (1..20)
        .map(|number| post(&format!("A {number}"), ""))
        .collect();
    let error = seeded
        .reconciler
        .run(None, &ConcurrentWriter(&folder, Mutex::new(saves)));
    assert_eq!(
        error.expect_err("the file never settles").kind(),
        Kind::UpdateCollision
    );
    assert_eq!(seeded.responses(), before);
    seeded.run();
    assert_eq!(seeded.post("b")["title"], "B 2");
}
