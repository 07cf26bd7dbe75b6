//! Tests of a failing store: a failed run changes nothing, and the next run succeeds.

use std::sync::Arc;

use galley::{
    clock::SystemClock,
    content_text::Diagnostic,
    error::Result,
    progress::NoProgress,
    store::memory::{CommitFault, MemoryStore},
};
use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};

fn store_and_site(folder: &Folder) -> (Arc<MemoryStore>, ReconciledSite) {
    let store = Arc::new(MemoryStore::new());
    let shared = Arc::clone(&store);
    (
        store,
        ReconciledSite::on(Box::new(shared), Arc::new(SystemClock), folder),
    )
}

fn run(site: &mut ReconciledSite) -> Result<Vec<Diagnostic>> {
    site.reconciler.run(None, &NoProgress)
}

const FAULTS: [CommitFault; 3] = [
    CommitFault::NotWritten,
    CommitFault::DiskFull,
    CommitFault::LostInDoubt,
];

#[test]
fn failed_first_commit_leaves_an_empty_site_and_the_next_run_succeeds() {
    let folder = Folder::with(&[
        (
            "posts/a.md",
            &post_with("A", "tags = [\"Sea\"]", "[b](b.md)"),
        ),
        ("posts/b.md", &post("B", "")),
    ]);
    let expected = ReconciledSite::from(&folder).responses();
    for fault in FAULTS {
        let (store, mut site) = store_and_site(&folder);
        let before = site.responses();
        store.fail_commit(1, fault);
        assert!(run(&mut site).is_err());
        assert_eq!(site.responses(), before);
        assert!(run(&mut site).expect("the store works again").is_empty());
        assert_eq!(site.responses(), expected);
    }
}

#[test]
fn failed_commit_is_repeated_by_the_next_run() {
    for fault in FAULTS {
        let folder = Folder::with(&[
            ("authors/ada.toml", "name = \"Ada\"\n"),
            (
                "posts/a.md",
                &post_with("A", "authors = [\"ada\"]", "[b](b.md)"),
            ),
            ("posts/b.md", &post("B", "")),
        ]);
        let (store, mut site) = store_and_site(&folder);
        run(&mut site).expect("the store works");
        let before = site.responses();
        folder.write("posts/b.md", post_with("B 2", "slug = \"second\"", ""));
        store.fail_commit(1, fault);
        assert!(run(&mut site).is_err());
        assert_eq!(site.responses(), before);
        folder.write(
            "posts/a.md",
            post_with("A 2", "authors = [\"ada\"]", "[b](b.md)"),
        );
        assert!(run(&mut site).expect("the store works again").is_empty());
        assert_eq!(site.responses(), ReconciledSite::from(&folder).responses());
    }
}

#[test]
fn commit_that_succeeded_despite_an_error_is_not_repeated() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let (store, mut site) = store_and_site(&folder);
    store.fail_commit(1, CommitFault::WrittenInDoubt);
    assert!(run(&mut site).is_err());
    assert_eq!(site.list("posts", "slug"), ["a"]);
    run(&mut site).expect("the store works again");
    assert_eq!(site.responses(), ReconciledSite::from(&folder).responses());
}

#[test]
fn read_errors_fail_the_run_without_harm() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let expected = ReconciledSite::from(&folder).responses();
    let mut failed = 0;
    for nth in 1.. {
        let (store, mut site) = store_and_site(&folder);
        store.fail_read(nth);
        if run(&mut site).is_ok() {
            // The run has fewer than `nth` reads.
            break;
        }
        failed = nth;
        run(&mut site).expect("the store works again");
        assert_eq!(site.responses(), expected, "read {nth}");
    }
    assert!(failed >= 4, "{failed} reads");
}
