//! Parses the history of files from `git log`.

use jiff::Timestamp;

use crate::content_files::{FileHistory, History, path_properties::is_content};

/// The separator of commits in the output of [`FORMAT`].
const BEGIN: char = '\u{1}';

/// The format of `git log -z --name-status` that [`add`] reads.
pub const FORMAT: &str = "--format=%x01%at%x00%an%x00%ae";

/// Adds commits, oldest first, to a history. Renamed files retain their history.
pub fn add(history: &mut History, output: &[u8]) {
    let output = String::from_utf8_lossy(output);
    let mut parts = output.split('\0');
    let mut commit = (Timestamp::UNIX_EPOCH, "", "");
    while let Some(part) = parts.next() {
        if let Some(time) = part.strip_prefix(BEGIN) {
            let time = time
                .parse()
                .ok()
                .and_then(|seconds| Timestamp::from_second(seconds).ok());
            let author = parts.next().unwrap_or_default();
            let email = parts.next().unwrap_or_default();
            commit = (time.unwrap_or(Timestamp::UNIX_EPOCH), author, email);
            continue;
        }
        // Git separates the header of a commit from the first change by a line break, even with
        // `-z`.
        let change = part.trim_start();
        let (Some(kind), Some(path)) = (change.chars().next(), parts.next()) else {
            continue;
        };
        match kind {
            'D' => {
                history.0.remove(path);
            }
            'R' => {
                let old = history.0.remove(path);
                let new = parts.next().unwrap_or_default();
                if let Some(mut file) = old.filter(|_| is_content(new)) {
                    // A move without a change of the content is not a change of the post.
                    if change != "R100" {
                        file.updated_at = commit.0;
                    }
                    history.0.insert(new.to_owned(), file);
                } else {
                    change_file(history, new, commit);
                }
            }
            _ => change_file(history, path, commit),
        }
    }
}

fn change_file(history: &mut History, path: &str, commit: (Timestamp, &str, &str)) {
    if !is_content(path) {
        return;
    }
    let (time, author, email) = commit;
    let file = history
        .0
        .entry(path.to_owned())
        .or_insert_with(|| FileHistory {
            created_at: time,
            updated_at: time,
            author: author.to_owned(),
            author_email: email.to_owned(),
        });
    file.updated_at = time;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_the_first_and_last_commit_across_renames() {
        let output = "\u{1}100\0Ada\0ada@example.com\0\nA\0posts/a.md\0A\0a.png\0\
            \u{1}200\0Bo\0bo@example.com\0\nM\0posts/a.md\0A\0posts/gone.md\0\
            \u{1}250\0Bo\0bo@example.com\0\
            \u{1}300\0Bo\0bo@example.com\0\nR100\0posts/a.md\0posts/b.md\0D\0posts/gone.md\0";
        let mut history = History::default();
        add(&mut history, output.as_bytes());
        let paths: Vec<&String> = history.0.keys().collect();
        assert_eq!(paths, ["posts/b.md"]);
        let file = history.of("posts/b.md").unwrap();
        assert_eq!(file.created_at.as_second(), 100);
        assert_eq!(file.updated_at.as_second(), 200);
        assert_eq!(
            (file.author.as_str(), file.author_email.as_str()),
            ("Ada", "ada@example.com")
        );
    }
}
