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
    reconciled_site::ReconciledSite,
};

#[test]
fn unchanged_files_cause_no_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("site.toml", "title = \"T\"\n"),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let revision = site.revision();
    site.run();
    let file = File::open(folder.at("posts/a.md")).expect("the file opens");
    let times = FileTimes::new().set_modified(SystemTime::now() + Duration::from_secs(60));
    file.set_times(times).expect("the file is touched");
    site.run();
    site.run_hinted(&["posts/a.md"]);
    folder.write("posts/a.md", post("A", ""));
    site.run();
    assert_eq!(site.revision(), revision);
    drop(site);
    assert_eq!(ReconciledSite::from(&folder).revision(), revision);
}

#[test]
fn file_metadata_is_stored_once_at_the_next_start() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let revision = ReconciledSite::from(&folder).revision();
    std::thread::sleep(Duration::from_millis(2100));
    assert_eq!(ReconciledSite::from(&folder).revision(), revision + 1);
    assert_eq!(ReconciledSite::from(&folder).revision(), revision + 1);
}

#[test]
fn all_changes_become_visible_in_one_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let revision = site.revision();
    folder.write("posts/a.md", post("A 2", ""));
    folder.remove("posts/b.md");
    folder.write(
        "posts/c.md",
        post_with("C", "tags = [\"New\"]\nauthors = [\"Ada\"]", ""),
    );
    site.run();
    assert_eq!(site.revision(), revision + 1);
    assert_eq!(site.list("posts", "title").len(), 2);
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
    let empty = ReconciledSite::from(&Folder::new()).responses();
    let mut site = ReconciledSite::from(&folder);
    assert_ne!(site.responses(), empty);
    fs::remove_dir_all(folder.content()).expect("the folder is removed");
    fs::create_dir(folder.content()).expect("an empty folder");
    site.run();
    assert_eq!(site.responses(), empty);
}

#[test]
fn renamed_file_gets_the_slug_of_its_new_name() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "[b](b.md)")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    folder.rename("posts/b.md", "posts/2024/c.md");
    let problems = site.run();
    assert!(
        problems[0].contains("link target not found: posts/b.md"),
        "{problems:?}"
    );
    assert_eq!(site.post("c")["title"], "B");
    assert!(site.post("b").is_null());
    folder.rename("posts/2024/c.md", "pages/c.md");
    site.run();
    assert_eq!(site.list("pages", "slug"), ["c"]);
    assert_eq!(site.list("posts", "slug"), ["a"]);
}

#[test]
fn renamed_or_removed_folder_affects_its_files() {
    let folder = Folder::with(&[
        ("posts/old/a/index.md", &post("A", "![](x.png)")),
        ("posts/old/a/x.png", "png"),
        ("posts/old/b.md", &post("B", "[a](a/index.md)")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let revision = site.revision();
    folder.rename("posts/old", "posts/new");
    assert!(site.run().is_empty());
    assert!(site.html("a").contains("/content/images/posts/new/a/x.png"));
    assert!(site.html("b").contains("href=\"https://example.com/a/\""));
    assert_eq!(site.revision(), revision + 1);
    fs::remove_dir_all(folder.at("posts/new")).expect("the folder is removed");
    site.run();
    assert!(site.list("posts", "slug").is_empty());
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
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    let mut slugs = site.list("posts", "slug");
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
    site.run_hinted(&["drafts-of-ada/a.md"]);
    assert_eq!(site.post("b")["title"], "A 2");
}

#[test]
fn name_that_is_not_utf_8_is_reported_and_others_are_used() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let name = OsStr::from_bytes(b"posts/caf\xe9.md");
    fs::write(folder.content().join(name), post("Café", "")).expect("the file is written");
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert!(
        problems[0].contains("the name is not UTF-8"),
        "{problems:?}"
    );
    assert!(
        site.run().is_empty(),
        "an unchanged problem is reported again"
    );
    assert_eq!(site.problems().len(), 1);
    assert_eq!(site.list("posts", "slug"), ["a"]);
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
    let site = ReconciledSite::from(&folder);
    assert_eq!(site.list("posts", "slug"), ["a"]);
    assert_eq!(site.reconciler.report().files, 1);
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
    let mut site = ReconciledSite::from(&folder);
    assert_eq!(
        site.post("a")["published_at"],
        "2025-07-05T00:00:00.000+02:00"
    );
    let revision = site.revision();
    folder.write(
        "site.toml",
        "timezone = \"Asia/Tokyo\"\ndefault_content_visibility = \"members\"\n",
    );
    site.run_hinted(&["site.toml"]);
    let post = site.post("a");
    assert_eq!(post["published_at"], "2025-07-05T00:00:00.000+09:00");
    assert_eq!(post["visibility"], "members");
    assert_eq!(site.revision(), revision + 1);
}

#[test]
fn default_tiers_chosen_by_staff_apply_to_content_files() {
    let folder = Folder::with(&[
        ("tiers/gold.toml", "name = \"Gold\"\n"),
        ("posts/a.md", &post("A", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let gold = site
        .site
        .current()
        .catalog
        .tiers
        .by_slug("gold")
        .map(|tier| tier.id);
    let gold = gold.expect("the tier exists");
    let chosen = serde_json::json!([gold.to_string()]);
    let chosen = [("default_content_visibility_tiers".to_owned(), chosen)];
    site.site
        .write_once(|transaction| transaction.edit_settings(chosen.into()))
        .expect("the setting is stored");
    folder.write("site.toml", "default_content_visibility = \"tiers\"\n");
    site.run_hinted(&["site.toml"]);
    let snapshot = site.site.current();
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
    let mut site = ReconciledSite::from(&folder);
    let responses = site.responses();
    folder.write("site.toml", "timezone = \"Nowhere/Land\"\n");
    assert!(site.run()[0].contains("site.toml:1:12"));
    assert_eq!(site.responses(), responses);
}

#[test]
fn unreadable_folder_does_not_remove_its_posts() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "![](a.png)")),
        ("posts/a.png", "png"),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let responses = site.responses();
    fs::rename(folder.content(), folder.top().join("away")).expect("the folder is moved");
    let problems = site.run();
    assert!(
        problems[0].contains("the content folder cannot be read"),
        "{problems:?}"
    );
    assert_eq!(site.responses(), responses);
    fs::rename(folder.top().join("away"), folder.content()).expect("the folder is moved back");
    assert!(site.run().is_empty());
    assert!(site.problems().is_empty());
    assert_eq!(site.responses(), responses);
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
    let mut site = ReconciledSite::open(&folder);
    let writer = ConcurrentWriter(
        &folder,
        Mutex::new(vec![post_with("A 2", "slug = \"other\"", "")]),
    );
    site.reconciler
        .run(None, &writer)
        .expect("the second attempt succeeds");
    assert_eq!(site.list("posts", "title"), ["A 2"]);
    assert_eq!(site.list("posts", "slug"), ["other"]);
}

#[test]
fn constantly_saved_file_fails_the_run_without_changes() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let before = site.responses();
    folder.write("posts/a.md", post("A 0", ""));
    folder.write("posts/b.md", post("B 2", ""));
    let saves = (1..20)
        .map(|number| post(&format!("A {number}"), ""))
        .collect();
    let error = site
        .reconciler
        .run(None, &ConcurrentWriter(&folder, Mutex::new(saves)));
    assert_eq!(
        error.expect_err("the file never settles").kind(),
        Kind::UpdateCollision
    );
    assert_eq!(site.responses(), before);
    site.run();
    assert_eq!(site.post("b")["title"], "B 2");
}
