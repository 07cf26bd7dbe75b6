//! Tests of slug conflicts, and of slugs that move between files.

use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};

fn slugged(title: &str, slug: &str) -> String {
    post_with(title, &format!("slug = \"{slug}\""), "")
}

fn title(site: &ReconciledSite, slug: &str) -> String {
    site.post(slug)["title"]
        .as_str()
        .unwrap_or("none")
        .to_owned()
}

#[test]
fn duplicate_slug_belongs_to_the_first_file_by_path_and_the_others_are_reported() {
    let folder = Folder::with(&[
        ("posts/a.md", &slugged("A", "same")),
        ("posts/b.md", &slugged("B", "same")),
        ("pages/c.md", &slugged("C", "same")),
        ("posts/d.md", &post("D", "")),
    ]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].contains("error: the slug \"same\" is already used by pages/c.md"),
        "{}",
        problems[0]
    );
    assert!(
        problems[0].contains("--> posts/a.md:4:8"),
        "{}",
        problems[0]
    );
    assert!(
        problems[0].contains("4 | slug = \"same\"\n  |        ^^^^^^"),
        "{}",
        problems[0]
    );
    assert!(problems[0].contains("help: give one of the two another `slug`"));
    assert!(problems[1].contains("--> posts/b.md"));
    assert_eq!(site.list("posts", "slug"), ["d"]);
}

#[test]
fn first_owner_keeps_the_slug_until_it_is_released() {
    let folder = Folder::with(&[("posts/z.md", &slugged("Z", "same"))]);
    let mut site = ReconciledSite::from(&folder);
    folder.write("posts/a.md", slugged("A", "same"));
    assert_eq!(site.run().len(), 1);
    assert_eq!(title(&site, "same"), "Z");
    folder.write("posts/z.md", slugged("Z", "other"));
    assert!(site.run_hinted(&["posts/z.md"]).is_empty());
    assert_eq!(
        (title(&site, "same"), title(&site, "other")),
        ("A".into(), "Z".into())
    );
    assert!(site.problems().is_empty());
}

#[test]
fn file_that_cannot_get_its_new_slug_keeps_the_old_one() {
    let folder = Folder::with(&[
        ("posts/a.md", &slugged("A", "a")),
        ("posts/b.md", &slugged("B", "b")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    // A requests the slug of B; C requests the slug that A would have released.
    folder.write("posts/a.md", slugged("A 2", "b"));
    folder.write("posts/c.md", slugged("C", "a"));
    let problems = site.run();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(
        (title(&site, "a"), title(&site, "b")),
        ("A".into(), "B".into())
    );
    folder.remove("posts/b.md");
    assert!(site.run().is_empty());
    assert_eq!(
        (title(&site, "a"), title(&site, "b")),
        ("C".into(), "A 2".into())
    );
}

#[test]
fn files_can_swap_slugs_in_one_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &slugged("A", "one")),
        ("posts/b.md", &slugged("B", "two")),
        ("posts/c.md", &post("C", "[a](a.md)")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let revision = site.revision();
    folder.write("posts/a.md", slugged("A", "two"));
    folder.write("posts/b.md", slugged("B", "one"));
    assert!(site.run_hinted(&["posts/a.md", "posts/b.md"]).is_empty());
    assert_eq!(
        (title(&site, "one"), title(&site, "two")),
        ("B".into(), "A".into())
    );
    assert!(site.html("c").contains("https://example.com/two/"));
    assert_eq!(site.revision(), revision + 1);
}

#[test]
fn slug_moves_between_files_in_one_commit() {
    let folder = Folder::with(&[
        ("posts/a.md", &slugged("A", "one")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let revision = site.revision();
    folder.remove("posts/a.md");
    folder.write("posts/b.md", slugged("B", "one"));
    assert!(site.run().is_empty());
    assert_eq!(title(&site, "one"), "B");
    assert_eq!(site.list("posts", "slug"), ["one"]);
    assert_eq!(site.revision(), revision + 1);
}

#[test]
fn duplicate_ids_are_reported_with_their_position() {
    let id = "id = \"65f2a7c0b1d2e3f4a5b6c7d8\"";
    let folder = Folder::with(&[
        ("posts/a.md", &post_with("A", id, "")),
        ("posts/b.md", &post_with("B", id, "")),
    ]);
    let problems = ReconciledSite::open(&folder).run();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0]
            .contains("the identifier 65f2a7c0b1d2e3f4a5b6c7d8 is already used by posts/a.md")
    );
    assert!(
        problems[0].contains("--> posts/b.md:4:6"),
        "{}",
        problems[0]
    );
}

#[test]
fn second_site_file_is_an_error() {
    let folder = Folder::with(&[
        (
            "site.toml",
            "title = \"One\"\ntimezone = \"Europe/Berlin\"\n",
        ),
        ("site.yaml", "title: Two\ntimezone: Asia/Tokyo\n"),
        ("posts/a.md", "+++\ntitle = \"A\"\ndate = 2025-01-05\n+++\n"),
    ]);
    let mut site = ReconciledSite::open(&folder);
    assert!(site.run()[0].contains("the site is already described by site.toml"));
    let title = |site: &ReconciledSite| site.get("settings/")["settings"]["title"].clone();
    assert_eq!(title(&site), "One");
    assert_eq!(
        site.post("a")["published_at"],
        "2025-01-05T00:00:00.000+01:00"
    );
    folder.remove("site.toml");
    assert!(site.run().is_empty());
    assert_eq!(title(&site), "Two");
    assert_eq!(
        site.post("a")["published_at"],
        "2025-01-05T00:00:00.000+09:00"
    );
}

#[test]
fn alias_of_another_post_is_a_warning_that_names_the_post() {
    let text =
        |aliases: &str| format!("---\ntitle: T\ndate: 2025-01-05\naliases: {aliases}\n---\n");
    let folder = Folder::with(&[
        ("posts/a.md", &text("[/old/, /b/]")),
        ("posts/b.md", &text("[/old/]")),
    ]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0]
            .contains("the alias /b is also the current URL of posts/b.md and opens that page")
    );
    assert!(problems[1].contains("the alias /old is also one of posts/a.md"));
}
