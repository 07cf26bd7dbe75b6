//! Tests of filters on the tags and authors of a post.

use galley_tests::{TestSite, test_site::filtered};

/// Starts a site with posts named after their tags (l: Letters, t: Travel, n: #note); [`ALL`] lists them newest first.
fn site() -> TestSite {
    let post = |day: u8, tags: &str, authors: &str| {
        format!(
            "---\ntitle: P\ndate: 2025-01-{day:02}\ntags: [{tags}]\nauthors: [{authors}]\n---\n"
        )
    };
    TestSite::builder()
        .file("tags/letters.toml", "name = 'Letters'\n")
        .file(
            "tags/travel.toml",
            "name = 'Travel'\ndescription = 'By sea'\n",
        )
        .file("authors/ada.toml", "name = 'Ada'\nlocation = 'Lisbon'\n")
        .file("authors/ben.toml", "name = 'Ben'\n")
        .file("posts/lt.md", post(6, "letters, travel", "ada, ben"))
        .file("posts/l.md", post(5, "letters", "ada"))
        .file("posts/t.md", post(4, "travel", "ben"))
        .file("posts/nl.md", post(3, "'#note', letters", "ada"))
        .file("posts/n.md", post(2, "'#note'", "ben"))
        .file("posts/none.md", post(1, "", "ada"))
        .start()
}

const ALL: &[&str] = &["lt", "l", "t", "nl", "n", "none"];
const NONE: &[&str] = &[];

fn assert_found(cases: &[(&str, &[&str])]) {
    let app = site();
    for (filter, expected) in cases {
        assert_eq!(app.slugs(&filtered("posts", filter)), *expected, "{filter}");
        let total = app.json(&filtered("posts", filter))["meta"]["pagination"]["total"].clone();
        assert_eq!(total, expected.len(), "{filter}");
    }
}

#[test]
fn condition_on_a_relation_matches_any_related_record() {
    assert_found(&[
        ("tag:letters", &["lt", "l", "nl"]),
        ("tags:letters", &["lt", "l", "nl"]),
        ("tags.slug:letters", &["lt", "l", "nl"]),
        ("tags.name:Letters", &["lt", "l", "nl"]),
        ("tags.name:~'ETT'", &["lt", "l", "nl"]),
        ("tags.description:-null", &["lt", "t"]),
        ("tag:[letters,travel]", &["lt", "l", "t", "nl"]),
        ("tag:~^'lett'", &["lt", "l", "nl"]),
        ("tag:>m", &["lt", "t"]),
        ("tags.visibility:internal", &["nl", "n"]),
        ("tag:nosuch", NONE),
        ("author:ada", &["lt", "l", "nl", "none"]),
        ("authors.name:Ben", &["lt", "t", "n"]),
        ("authors.location:Lisbon", &["lt", "l", "nl", "none"]),
        ("author:ada+tag:letters", &["lt", "l", "nl"]),
        ("author:ben+tag:letters", &["lt"]),
    ]);
}

#[test]
fn negated_condition_matches_if_no_related_record_has_the_value() {
    assert_found(&[
        ("tag:-letters", &["t", "n", "none"]),
        ("tag:-[letters,travel]", &["n", "none"]),
        ("tag:-nosuch", ALL),
        ("tags.visibility:-internal", &["lt", "l", "t", "none"]),
        ("tags.name:-Letters", &["t", "n", "none"]),
        ("author:-ada", &["t", "n"]),
        ("author:-[ada,ben]", NONE),
    ]);
}

#[test]
fn not_contains_matches_if_some_related_record_does_not_contain() {
    assert_found(&[
        ("tags.name:-~'ett'", &["lt", "t", "nl", "n"]),
        ("authors.name:-~'da'", &["lt", "t", "n"]),
    ]);
}

#[test]
fn conditions_on_one_column_are_independent() {
    assert_found(&[
        ("tag:letters+tag:travel", &["lt"]),
        ("tag:[letters+travel]", &["lt"]),
        ("tag:letters,tag:travel", &["lt", "l", "t", "nl"]),
        ("tag:-letters+tag:-travel", &["n", "none"]),
        ("tag:-letters,tag:-travel", &["l", "t", "nl", "n", "none"]),
        ("tag:letters+tag:-travel", &["l", "nl"]),
        ("author:ada+author:ben", &["lt"]),
        ("author:[ada+ben]", &["lt"]),
    ]);
}

#[test]
fn conditions_on_different_columns_of_a_group_apply_to_one_record() {
    assert_found(&[
        ("tag:letters+tags.visibility:internal", NONE),
        ("tag:letters+tags.visibility:public", &["lt", "l", "nl"]),
        ("tag:letters+tags.description:-null", NONE),
        (
            "tag:letters+(tags.visibility:internal,featured:true)",
            &["nl"],
        ),
        ("tag:letters+tags.visibility:-internal", &["lt", "l"]),
    ]);
}

#[test]
fn the_primary_tag_is_the_first_if_it_is_public() {
    assert_found(&[
        ("primary_tag:letters", &["lt", "l"]),
        ("primary_tag:travel", &["t"]),
        ("primary_tag:hash-note", NONE),
        ("primary_tag:-letters", &["t"]),
        ("primary_tag:[letters,travel]", &["lt", "l", "t"]),
        ("primary_tag:-[letters,nosuch]", &["t"]),
        ("primary_author:ada", &["lt", "l", "nl", "none"]),
        ("primary_author:-ada", &["t", "n"]),
        ("primary_author:[ada,ben]", ALL),
        ("primary_author:ben+author:ada", NONE),
    ]);
}

#[test]
fn null_condition_tests_for_existence() {
    assert_found(&[
        ("tag:null", &["none"]),
        ("tag:-null", &["lt", "l", "t", "nl", "n"]),
        ("tags:null", &["none"]),
        ("primary_tag:null", &["nl", "n", "none"]),
        ("primary_tag:-null", &["lt", "l", "t"]),
        ("author:null", NONE),
        ("primary_author:-null", ALL),
    ]);
}

#[test]
fn relation_conditions_combine_with_post_fields() {
    assert_found(&[
        ("tag:letters+slug:-l", &["lt", "nl"]),
        ("tag:travel,slug:none", &["lt", "t", "none"]),
        ("(tag:letters,tag:travel)+author:ben", &["lt", "t"]),
        ("tag:letters+published_at:<'2025-01-04'", &["nl"]),
    ]);
}

#[test]
fn pages_have_tags_and_authors_too() {
    let app = TestSite::builder()
        .file(
            "pages/a.md",
            "---\ntitle: A\ntags: [x, y]\nauthors: [ada]\n---\n",
        )
        .file("pages/b.md", "---\ntitle: B\nauthors: [ben]\n---\n")
        .start();
    for (filter, expected) in [
        ("tag:y", &["a"][..]),
        ("tag:-y", &["b"]),
        ("primary_tag:x", &["a"]),
        ("author:ben", &["b"]),
    ] {
        assert_eq!(app.slugs(&filtered("pages", filter)), expected, "{filter}");
    }
}
