//! Tests of invalid YAML that generators accept.

use super::projects::ProjectSite;

#[test]
fn tab_after_a_yaml_key_is_accepted() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/docs/knots.md",
            "---\ntitle: \tKnots\nweight:\t3\n---\nText.\n",
        ),
        ("content/docs/fog.md", "---\ntitle:\tFog\n---\nText.\n"),
    ]);
    assert_eq!(served.title("fog"), "Fog");
    assert_eq!(served.title("knots"), "Knots");
}

#[test]
fn bracketed_yaml_lists_need_no_indentation() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/docs/knots.md",
            "---\ntags: [\n  'Sea',\n'Rope [wet]'\n]\ntitle: Knots\naliases: [\n  /a/,\n]\n---\nText.\n",
        ),
    ]);
    assert_eq!(served.title("knots"), "Knots");
    assert_eq!(served.tags("knots"), ["Sea", "Rope [wet]"]);
    assert_eq!(served.problems(), [""; 0]);
}

#[test]
fn quoted_yaml_values_need_no_indentation() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/docs/knots.md",
            "---\nsummary: 'Knots of\nall kinds, it''s said.\n\n'\nlist:\n  - text: \"a\n    b\n\n\"\ntitle: \"Knots\"\n---\nText.\n",
        ),
    ]);
    assert_eq!(served.title("knots"), "Knots");
    let snapshot = served.site.current();
    let knots = snapshot.catalog.posts.by_slug("knots").unwrap();
    assert_eq!(
        knots.custom_excerpt.as_deref().map(str::trim),
        Some("Knots of all kinds, it's said.")
    );
    assert_eq!(served.problems(), [""; 0]);
}
