//! Tests of tags and authors that are described in files or implied by posts.

use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};

fn tagged(title: &str, tags: &str) -> String {
    post_with(title, &format!("tags = [{tags}]"), "")
}

fn written_by(title: &str, authors: &str) -> String {
    post_with(title, &format!("authors = [{authors}]"), "")
}

#[test]
fn implied_tags_and_authors_appear_and_disappear() {
    let folder = Folder::with(&[(
        "posts/a.md",
        &post_with(
            "A",
            "tags = [\"Night Letters\"]\nauthors = [\"Ada Lovelace\"]",
            "",
        ),
    )]);
    let mut site = ReconciledSite::from(&folder);
    assert_eq!(site.post("a")["tags"][0]["slug"], "night-letters");
    assert_eq!(site.list("tags", "name"), ["Night Letters"]);
    assert_eq!(site.list("authors", "name"), ["Ada Lovelace"]);
    assert_eq!(site.list("authors", "slug"), ["ada-lovelace"]);
    folder.write("posts/a.md", written_by("A", "\"Charles\""));
    site.run_hinted(&["posts/a.md"]);
    assert!(site.list("tags", "name").is_empty());
    assert_eq!(site.list("authors", "name"), ["Charles"]);
    assert_eq!(site.site.current().catalog.users.len(), 1);
}

#[test]
fn first_file_by_path_determines_the_spelling_of_a_name() {
    let folder = Folder::with(&[
        ("posts/b.md", &tagged("B", "\"SEA\"")),
        ("posts/c.md", &tagged("C", "\"sea\"")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    assert_eq!(site.list("tags", "name"), ["SEA"]);
    folder.write("posts/a.md", tagged("A", "\"Sea\""));
    site.run();
    assert_eq!(site.list("tags", "name"), ["Sea"]);
    folder.remove("posts/a.md");
    folder.remove("posts/b.md");
    site.run();
    assert_eq!(site.list("tags", "name"), ["sea"]);
}

#[test]
fn tag_has_the_fields_of_its_file_until_it_is_removed() {
    let folder = Folder::with(&[("posts/a.md", &tagged("A", "\"Sea\""))]);
    let mut site = ReconciledSite::from(&folder);
    let file = "name = \"The Sea\"\nslug = \"sea\"\nid = \"65f2a7c0b1d2e3f4a5b6c7d8\"\n";
    folder.write("tags/ocean.toml", file);
    assert!(site.run().is_empty());
    assert_eq!(site.post("a")["tags"][0]["id"], "65f2a7c0b1d2e3f4a5b6c7d8");
    assert_eq!(site.list("tags", "name"), ["The Sea"]);
    folder.remove("tags/ocean.toml");
    site.run();
    assert_eq!(site.list("tags", "name"), ["Sea"]);
    assert_eq!(site.post("a")["tags"][0]["name"], "Sea");
}

#[test]
fn name_with_the_slug_of_a_described_tag_is_that_tag() {
    let folder = Folder::with(&[
        (
            "tags/x.toml",
            "name = \"Briefe\"\nslug = \"letters-from-home\"\ndescription = \"D\"\n",
        ),
        (
            "posts/a.md",
            &tagged(
                "A",
                "\"Letters from home\", \"briefe\", \"letters-from-home\"",
            ),
        ),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let check = |site: &ReconciledSite| {
        let post = site.post("a");
        assert_eq!(post["tags"].as_array().map(Vec::len), Some(1), "{post}");
        assert_eq!(post["tags"][0]["description"], "D");
    };
    check(&site);
    folder.write("posts/b.md", tagged("B", "\"Letters From Home\""));
    site.run();
    check(&site);
}

#[test]
fn tag_name_with_a_leading_hash_is_internal() {
    let folder = Folder::with(&[("posts/a.md", &tagged("A", "\"#hidden\", \"Sea\""))]);
    let site = ReconciledSite::from(&folder);
    let tags = site.get("tags/?filter=visibility:public");
    assert_eq!(
        (
            &tags["tags"][0]["name"],
            tags["meta"]["pagination"]["total"].as_u64()
        ),
        (&"Sea".into(), Some(1))
    );
    let internal = site.get("posts/?filter=tag:hash-hidden");
    assert_eq!(internal["posts"][0]["slug"], "a");
}

#[test]
fn author_is_matched_by_slug_name_or_email_address() {
    let folder = Folder::with(&[
        (
            "authors/ada.toml",
            "name = \"Ada Lovelace\"\nemail = \"ada@example.com\"\n",
        ),
        ("posts/a.md", &written_by("A", "\"ada\"")),
        ("posts/b.md", &written_by("B", "\"ada lovelace\"")),
        ("posts/c.md", &written_by("C", "\"Ada@example.com\"")),
        ("posts/d.md", &written_by("D", "{ slug = \"ada\" }")),
    ]);
    let site = ReconciledSite::from(&folder);
    for slug in ["a", "b", "c", "d"] {
        assert_eq!(site.post(slug)["primary_author"]["slug"], "ada", "{slug}");
    }
    assert_eq!(site.list("authors", "slug"), ["ada"]);
}

#[test]
fn default_author_applies_after_every_change() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let mut site = ReconciledSite::from(&folder);
    let by = |site: &ReconciledSite| site.post("a")["primary_author"]["name"].clone();
    assert_eq!(by(&site), "Author");
    folder.write("authors/bea.toml", "name = \"Bea\"\n");
    folder.write("authors/cyd.toml", "name = \"Cyd\"\n");
    site.run();
    assert_eq!(by(&site), "Bea");
    folder.write("site.toml", "title = \"T\"\ndefault_author = \"cyd\"\n");
    site.run();
    assert_eq!(by(&site), "Cyd");
    drop(site);
    let mut site = ReconciledSite::from(&folder);
    folder.write("posts/a.md", post("A", "changed"));
    site.run();
    assert_eq!(by(&site), "Cyd");
    folder.write("site.toml", "title = \"T\"\ndefault_author = \"Dee Doe\"\n");
    site.run();
    assert_eq!(by(&site), "Dee Doe");
    folder.remove("site.toml");
    site.run();
    assert_eq!(by(&site), "Bea");
}

#[test]
fn similar_author_name_gets_a_suggestion() {
    let folder = Folder::with(&[
        ("authors/ada.toml", "name = \"Ada Lovelace\"\n"),
        ("posts/a.md", &written_by("A", "\"Ada Lovelac\"")),
    ]);
    let problems = ReconciledSite::open(&folder).run();
    assert!(
        problems[0].contains("warning: no file in authors/ describes \"Ada Lovelac\""),
        "{problems:?}"
    );
    assert!(problems[0].contains("help: write \"ada lovelace\""));
}

#[test]
fn extra_fields_of_tags_and_authors_in_posts_are_reported_as_ignored() {
    let folder = Folder::with(&[(
        "posts/a.md",
        &post_with(
            "A",
            "tags = [{ name = \"Sea\", description = \"Wet\" }]\nauthors = [{ name = \"Ada\", bio = \"Writes\" }]",
            "",
        ),
    )]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("only the name of a tag is used here"))
    );
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("the author's details here are ignored"))
    );
    assert_eq!(site.list("tags", "name"), ["Sea"]);
    assert_eq!(site.list("authors", "name"), ["Ada"]);
}
