//! Tests of the error about a damaged store: it has a path and advice, and no command panics.

use galley_tests::{
    command_line::{CommandOutput, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};

use std::fs;

/// A seeded pseudorandom number generator (Steele, Lea, Flood: SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((number ^ (number >> 31)) % bound as u64) as usize
    }
}

/// Creates a site with posts, and stops its server with `signal`.
fn site(signal: rustix::process::Signal) -> Folder {
    let folder = Folder::new();
    for number in 0..30 {
        let text = "The ferry is late. ".repeat(40);
        folder.write(
            &format!("posts/{number}.md"),
            post(&number.to_string(), &text),
        );
    }
    let served = GalleyProcess::serve(&folder, &[]);
    served.stop(signal);
    folder
}

/// Asserts that a command succeeded or reported the damage in one line, and returns whether it was reported.
fn assert_reported_in_one_line(output: &CommandOutput, what: &str) -> bool {
    assert!(!output.err.contains("panicked"), "{what}: {}", output.err);
    match output.code {
        Some(0) => false,
        Some(1) => {
            let is_about_store = [
                "galley.redb is damaged",
                "galley.redb is not a Galley store",
                "galley.redb was written by a newer",
            ];
            let is_reported = is_about_store.iter().any(|part| output.err.contains(part));
            assert!(is_reported, "{what}: {}", output.err);
            assert_eq!(
                output.err.trim().lines().count(),
                1,
                "{what}: {}",
                output.err
            );
            true
        }
        code => panic!("{what}: {code:?} {}", output.err),
    }
}

#[test]
fn store_damage_is_reported_with_its_path_and_without_a_panic() {
    let mut reports = 0;
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::KILL] {
        let folder = site(signal);
        let path = folder.data().join("galley.redb");
        let whole = fs::read(&path).expect("a store");
        for seed in 0..30 {
            let mut numbers = Numbers(seed);
            let mut bytes = whole.clone();
            // One to three damages, each of a single byte or, in a third of the cases, of 600 bytes.
            for _ in 0..=numbers.next_below(3) {
                let offset = numbers.next_below(bytes.len());
                let length = if numbers.next_below(3) == 0 { 600 } else { 1 };
                for byte in bytes.iter_mut().skip(offset).take(length) {
                    *byte ^= numbers.next_below(256) as u8;
                }
            }
            fs::write(&path, &bytes).expect("written");
            let what = format!("{signal:?}, seed {seed}");
            let commands: [&[&str]; 2] = [
                &["status", "--data", "data"],
                &["export", "all.json", "--data", "data", "--force", "-q"],
            ];
            for command in commands {
                reports += usize::from(assert_reported_in_one_line(&run(&folder, command), &what));
            }
        }
    }
    assert!(reports > 10, "{reports}");
}

#[test]
fn store_modified_with_an_unchanged_date_is_reported_as_damaged() {
    let folder = site(rustix::process::Signal::TERM);
    let path = folder.data().join("galley.redb");
    let whole = fs::read(&path).expect("a store");
    let modified = fs::metadata(&path)
        .expect("a store")
        .modified()
        .expect("a date");
    let mut reports = 0;
    for seed in 0..60 {
        let mut numbers = Numbers(1000 + seed);
        let mut bytes = whole.clone();
        // Damage a used part after the header, because the header is always checked.
        let offset = 4096 + numbers.next_below(whole.len() / 2);
        for byte in bytes.iter_mut().skip(offset).take(64) {
            *byte ^= numbers.next_below(256) as u8;
        }
        // Write into the same file, because a new file would lose the record of how the store was closed.
        let mut file = fs::File::options()
            .write(true)
            .open(&path)
            .expect("a store");
        std::io::Write::write_all(&mut file, &bytes).expect("written");
        file.set_modified(modified).expect("a date");
        drop(file);
        let output = run(
            &folder,
            &["export", "all.json", "--data", "data", "--force", "-q"],
        );
        assert!(
            !output.err.contains("panicked"),
            "seed {seed}: {}",
            output.err
        );
        reports += usize::from(output.code == Some(1));
        let mut file = fs::File::options()
            .write(true)
            .truncate(true)
            .open(&path)
            .expect("a store");
        std::io::Write::write_all(&mut file, &whole).expect("written");
        file.set_modified(modified).expect("a date");
    }
    assert!(reports > 5, "{reports}");
}
