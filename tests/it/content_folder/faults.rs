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
    seeded_site::Seeded,
};

fn seeded(folder: &Folder) -> (Arc<MemoryStore>, Seeded) {
    let store = Arc::new(MemoryStore::new());
    let shared = Arc::clone(&store);
    (
        store,
        Seeded::on(Box::new(shared), Arc::new(SystemClock), folder),
    )
}

fn run(seeded: &mut Seeded) -> Result<Vec<Diagnostic>> {
    seeded.reconciler.run(None, &NoProgress)
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
    let expected = Seeded::from(&folder).responses();
    for fault in FAULTS {
        let (store, mut seeded) = seeded(&folder);
        let before = seeded.responses();
        store.fail_commit(1, fault);
        assert!(run(&mut seeded).is_err());
        assert_eq!(seeded.responses(), before);
        assert!(run(&mut seeded).expect("the store works again").is_empty());
        assert_eq!(seeded.responses(), expected);
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
        let (store, mut seeded) = seeded(&folder);
        run(&mut seeded).expect("the store works");
        let before = seeded.responses();
        folder.write("posts/b.md", post_with("B 2", "slug = \"second\"", ""));
        store.fail_commit(1, fault);
        assert!(run(&mut seeded).is_err());
        assert_eq!(seeded.responses(), before);
        folder.write(
            "posts/a.md",
            post_with("A 2", "authors = [\"ada\"]", "[b](b.md)"),
        );
        assert!(run(&mut seeded).expect("the store works again").is_empty());
        assert_eq!(seeded.responses(), Seeded::from(&folder).responses());
    }
}

#[test]
fn commit_that_succeeded_despite_an_error_is_not_repeated() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let (store, mut seeded) = seeded(&folder);
    store.fail_commit(1, CommitFault::WrittenInDoubt);
    assert!(run(&mut seeded).is_err());
    assert_eq!(seeded.list("posts", "slug"), ["a"]);
    run(&mut seeded).expect("the store works again");
    assert_eq!(seeded.responses(), Seeded::from(&folder).responses());
}

#[test]
fn read_errors_fail_the_run_without_harm() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/b.md", &post("B", "")),
    ]);
    let expected = Seeded::from(&folder).responses();
    let mut failed = 0;
    for nth in 1.. {
        let (store, mut seeded) = seeded(&folder);
        store.fail_read(nth);
        if run(&mut seeded).is_ok() {
            // The run has fewer than `nth` reads.
            break;
        }
        failed = nth;
        run(&mut seeded).expect("the store works again");
        assert_eq!(seeded.responses(), expected, "read {nth}");
    }
    assert!(failed >= 4, "{failed} reads");
}
