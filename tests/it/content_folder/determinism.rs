//! Tests that the site of a folder does not depend on the folder's history.

use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};
use proptest::{prelude::*, test_runner::Config};

/// Returns files with every kind of dependency between files.
fn files() -> Vec<(&'static str, String)> {
    vec![
        ("site.toml", "title = \"T\"\ntimezone = \"Europe/Berlin\"\ndefault_author = \"Beatrix Doe\"\n".into()),
        ("posts/a.md", post_with("A", "tags = [\"Sea\", \"#x\"]\nauthors = [\"Ada\"]", "[b](b.md) ![](x.png)")),
        ("posts/b.md", post_with("B", "slug = \"second\"\ntags = [\"SEA\", \"Letters\"]", "[page](../pages/p.md)")),
        ("posts/c.md", "---\ntitle: C\ndate: 2025-07-01\nauthors: [Ada, Cyd]\ntags: [letters]\n---\n[a](a.md)\n".into()),
        ("posts/d/index.md", post_with("D", "visibility = \"members\"\ntags = [\"sea\"]", "Secret")),
        ("posts/d/x.png", "png".into()),
        ("posts/e.md", post_with("E", "tiers = [\"gold\"]", "")),
        ("posts/x.png", "png".into()),
        ("pages/p.md", "---\ntitle: P\n---\n[tag](../tags/letters.toml)\n".into()),
        ("tags/letters.toml", "name = \"Letters\"\nfeature_image = \"../posts/x.png\"\n".into()),
        ("authors/ada.toml", "name = \"Ada\"\n".into()),
        ("tiers/gold.toml", "name = \"Gold\"\ntype = \"paid\"\nmonthly_price = 700\ncurrency = \"eur\"\n".into()),
        ("newsletters/n.toml", "name = \"N\"\n".into()),
    ]
}

fn responses_of_one_run() -> String {
    let folder = Folder::new();
    for (path, text) in files() {
        folder.write(path, text);
    }
    let site = ReconciledSite::from(&folder);
    assert!(site.problems().is_empty());
    site.responses()
}

#[test]
fn two_runs_on_one_folder_serve_the_same_bytes() {
    assert_eq!(responses_of_one_run(), responses_of_one_run());
}

proptest! {
    #![proptest_config(Config { cases: 12, failure_persistence: None, ..Config::default() })]

    #[test]
    fn incremental_runs_in_any_order_equal_one_full_run(
        order in Just(files()).prop_shuffle(),
        restarts in proptest::collection::vec(any::<bool>(), files().len()),
    ) {
        let folder = Folder::new();
        let mut site = ReconciledSite::open(&folder);
        for ((path, text), restart) in order.into_iter().zip(restarts) {
            folder.write(path, text);
            site.run();
            if restart {
                drop(site);
                site = ReconciledSite::open(&folder);
            }
        }
        site.run();
        prop_assert_eq!(site.problems(), Vec::<String>::new());
        prop_assert_eq!(site.responses(), responses_of_one_run());
    }

    #[test]
    fn reverted_edits_and_deletions_leave_no_trace(
        edited in proptest::sample::subsequence((0..files().len()).collect::<Vec<_>>(), 1..6),
        deletes in any::<bool>(),
    ) {
        let folder = Folder::new();
        for (path, text) in files() {
            folder.write(path, text);
        }
        let mut site = ReconciledSite::from(&folder);
        for &index in &edited {
            let (path, _) = files()[index].clone();
            if deletes { folder.remove(path) } else { folder.write(path, post("Other", "[x](a.md)")) }
            site.run();
        }
        for (path, text) in files() {
            folder.write(path, text);
        }
        site.run();
        prop_assert_eq!(site.problems(), Vec::<String>::new());
        prop_assert_eq!(site.responses(), responses_of_one_run());
    }
}
