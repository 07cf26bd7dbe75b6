//! Shows the state of the site's sources: details to visitors on the server's own machine, a summary to
//! all other visitors.

use std::sync::Arc;

use askama::Template;
use jiff::{Timestamp, tz::TimeZone};

use crate::{
    api::html_page::Time,
    content_files::{ContentReport, GitReport, WriteBack},
    content_text::DiagnosticGroup,
};

/// Most problems listed on the page.
const PROBLEMS_MAX: usize = 20;

/// The state of the sources as HTML.
#[derive(Template)]
#[template(path = "api/front_page/sources.html", config = "src/askama.toml")]
pub struct Sources {
    /// The report on the content files and their source.
    pub content: Arc<ContentReport>,
    /// Whether the visitor is on the server's own machine.
    pub is_local: bool,
    /// True if the site has a content folder.
    pub has_folder: bool,
    /// The number of edits of content files that are not in the repository yet.
    pub waiting_edits: usize,
    /// The time zone in which times are shown.
    pub zone: TimeZone,
}

impl Sources {
    fn is_well(&self) -> bool {
        let git = self.content.git.as_ref();
        !self.content.has_errors() && git.is_none_or(GitReport::is_well)
    }

    fn shows_waiting_edits(&self) -> bool {
        let content = &self.content;
        (content.git.is_some() || content.commits.is_some()) && self.waiting_edits > 0
    }

    /// Returns the number of problems in the groups that are not listed.
    fn unlisted(&self, groups: &[DiagnosticGroup]) -> usize {
        let groups = groups.iter().skip(PROBLEMS_MAX);
        groups.map(|group| group.others().len() + 1).sum()
    }

    fn time(&self, time: &Timestamp) -> String {
        let (time, zone) = (*time, &self.zone);
        let format = "%-d %B %Y at %H:%M (%Q)";
        Time { time, zone, format }.to_string()
    }
}

/// Returns a number with its noun, such as `1 file` or `2 files`.
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        content_files::{Commit, PullFailure, RefusedCommit},
        content_text::Diagnostic,
    };

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn commit(id: &str, message: &str) -> Commit {
        Commit {
            id: id.to_owned(),
            author: "Ada <L>".to_owned(),
            author_email: "ada@example.com".to_owned(),
            authored_at: at("2025-05-04T10:00:00Z"),
            message: message.to_owned(),
        }
    }

    fn followed() -> GitReport {
        GitReport {
            url: "https://git.example/news".to_owned(),
            branch: Some("main".to_owned()),
            path: None,
            served: Some(commit("0123456789abcdef", "Fix the <pier>\n\nAt last.")),
            refused: None,
            fetched_at: None,
            failure: None,
            waiting_edits: 0,
            conflict_branches: Vec::new(),
            reviews: Vec::new(),
        }
    }

    fn sources(git: GitReport, is_local: bool) -> String {
        let content = ContentReport {
            files: 2,
            git: Some(git),
            ..ContentReport::default()
        };
        let sources = Sources {
            content: Arc::new(content),
            is_local,
            has_folder: true,
            waiting_edits: 0,
            zone: TimeZone::get("Europe/Dublin").unwrap(),
        };
        sources.to_string()
    }

    fn details(git: GitReport) -> String {
        sources(git, true)
    }

    #[test]
    fn served_commit_is_shown_without_its_authors_email() {
        let html = details(followed());
        for part in [
            "<p class=\"state well\">Follows https://git.example/news, branch main.</p>",
            "<code>0123456789</code> Fix the &lt;pier&gt;<br>",
            "Ada &lt;L&gt;, <time datetime=\"2025-05-04T10:00:00Z\">4 May 2025 at 11:00 (Europe/Dublin)</time>",
            "2 content files read, no problems.",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains('@'), "{html}");
    }

    #[test]
    fn rejected_commit_is_shown_with_its_problems() {
        let problem =
            Diagnostic::about_file("posts/a.md", "the file is not UTF-8", "save it again");
        let refused = Some(RefusedCommit {
            commit: commit("fedcba9876543210", "Break it"),
            problems: vec![problem],
        });
        let html = details(GitReport {
            refused,
            ..followed()
        });
        for part in [
            "<p class=\"state ill\">Follows",
            "The newest commit was rejected:<br><code>fedcba9876</code> Break it",
            "<code>posts/a.md</code><br>error: the file is not UTF-8",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn unreachable_repository_shows_details_only_to_local_visitors() {
        let git = GitReport {
            failure: Some(PullFailure {
                message: "no route to <host>".to_owned(),
                failed_at: at("2025-05-04T10:00:00Z"),
                attempts: 3,
                tried_again_at: at("2025-05-04T10:08:00Z"),
            }),
            ..followed()
        };
        let html = details(git.clone());
        assert!(html.contains("no route to &lt;host&gt;"), "{html}");
        assert!(html.contains("4 May 2025 at 11:08"), "{html}");

        let html = sources(git, false);
        assert!(html.contains("state ill"), "{html}");
        assert!(
            !html.contains("host") && !html.contains("git.example"),
            "{html}"
        );
    }
}
