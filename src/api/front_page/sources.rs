//! Shows people the state of the site's sources: details to visitors on the machine, a summary to
//! all others.

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    api::html_page::push_time,
    render::html_escape::push_text,
    sources::{
        ContentReport, Diagnostic, DiagnosticGroup, WriteBack,
        git::{Commit, CommitReport, GitReport},
    },
};

/// Most problems listed on the page.
const PROBLEMS_MAX: usize = 20;

/// Appends whether the sources are in order.
pub fn push_summary(html: &mut String, content: &ContentReport) {
    if is_well(content) {
        return push_state(html, true, "The content is up to date.");
    }
    push_state(
        html,
        false,
        "Some content is invalid; its last good version is served.",
    );
    html.push_str(
        "<p class=\"quiet\">The site’s operator finds the details with <code>galley status</code>.</p>\n",
    );
}

fn is_well(content: &ContentReport) -> bool {
    !content.has_errors() && content.git.as_ref().is_none_or(GitReport::is_well)
}

/// The details of the sources.
pub struct SourceDetails<'a> {
    /// The report on the content files and their source.
    pub content: &'a ContentReport,
    /// True if the site has content files at all.
    pub has_folder: bool,
    /// The number of edits of content files that wait.
    pub waiting_edits: usize,
    /// The time zone of the times shown.
    pub zone: &'a TimeZone,
}

impl SourceDetails<'_> {
    /// Appends the details.
    pub fn push(&self, html: &mut String) {
        if !self.has_folder {
            return push_state(
                html,
                true,
                "There is no content folder: all content was written through the Admin API or imported.",
            );
        }
        if let Some(git) = &self.content.git {
            self.push_repository(html, git);
        }
        self.push_files(html);
    }

    fn push_files(&self, html: &mut String) {
        let content = self.content;
        let files = counted(content.files, "content file");
        let problems = match content.problems.len() {
            0 => "no problems".to_owned(),
            count => counted(count, "problem"),
        };
        push_state(
            html,
            !content.has_errors(),
            &format!("{files} read, {problems}."),
        );
        if content.has_errors() {
            html.push_str("<p>The last good version of invalid content is served.</p>\n");
        }
        push_problems(html, &content.problems);
        html.push_str(match content.write_back {
            WriteBack::Off => "",
            WriteBack::Folder => "<p>Edits are written into the files.</p>\n",
            WriteBack::Commit => "<p>Edits are written into the files and committed.</p>\n",
            WriteBack::Push => "<p>Edits are written into the files, committed and pushed.</p>\n",
        });
        if let Some(commits) = &content.commits {
            self.push_commits(html, commits);
        }
        if (content.git.is_some() || content.commits.is_some()) && self.waiting_edits > 0 {
            let edits = counted(self.waiting_edits, "edit");
            html.push_str("<p>");
            push_text(html, &edits);
            html.push_str(" not in the repository yet.</p>\n");
        }
        for review in content.git.iter().flat_map(|git| &git.reviews) {
            let edits = counted(review.edits, "edit");
            html.push_str("<p>");
            push_text(
                html,
                &format!("{edits} for review in the branch {}: ", review.branch),
            );
            push_text(html, &review.reason);
            html.push_str("</p>\n");
        }
    }

    fn push_repository(&self, html: &mut String, git: &GitReport) {
        let branch = git.branch.as_ref().map(|name| format!(", branch {name}"));
        let folder = git.path.as_ref().map(|path| format!(", folder {path}"));
        let text = format!(
            "Follows {}{}{}.",
            git.url,
            branch.unwrap_or_default(),
            folder.unwrap_or_default()
        );
        push_state(html, git.is_well(), &text);
        match &git.served {
            Some(commit) => self.push_commit(html, "This commit is served:", commit),
            None => html.push_str("<p>No commit is served yet.</p>\n"),
        }
        if let Some(refused) = &git.refused {
            self.push_commit(html, "The newest commit was rejected:", &refused.commit);
            push_problems(html, &refused.problems);
        }
        if let Some(failure) = &git.failure {
            html.push_str("<p>The repository is unreachable: ");
            push_text(html, &failure.message);
            html.push_str(". Last attempt on ");
            self.push_time(html, failure.failed_at);
            html.push_str(", next attempt by ");
            self.push_time(html, failure.tried_again_at);
            html.push_str(".</p>\n");
        }
    }

    /// Appends where edits are committed, and why some wait.
    fn push_commits(&self, html: &mut String, commits: &CommitReport) {
        let branch = commits.branch.as_ref();
        let branch = branch.map_or_else(String::new, |name| format!(", branch {name}"));
        let text = format!("Commits in {}{branch}.", commits.work_tree);
        push_state(html, commits.failure.is_none(), &text);
        if let Some(commit) = &commits.last {
            self.push_commit(html, "The last commit of an edit:", commit);
        }
        if let Some(failure) = &commits.failure {
            html.push_str("<p>Edits cannot be committed now: ");
            push_text(html, &failure.message);
            html.push_str(". Next attempt by ");
            self.push_time(html, failure.tried_again_at);
            html.push_str(".</p>\n");
        }
        for path in &commits.ignored {
            html.push_str("<p>Git ignores <code>");
            push_text(html, path);
            html.push_str("</code>: its edits are in the file and not committed.</p>\n");
        }
    }

    fn push_commit(&self, html: &mut String, what: &str, commit: &Commit) {
        html.push_str("<p class=\"commit\">");
        push_text(html, what);
        html.push_str("<br><code>");
        push_text(html, commit.short());
        html.push_str("</code> ");
        push_text(html, commit.subject());
        html.push_str("<br><span class=\"quiet\">");
        push_text(html, &commit.author);
        html.push_str(", ");
        self.push_time(html, commit.authored_at);
        html.push_str("</span></p>\n");
    }

    fn push_time(&self, html: &mut String, time: Timestamp) {
        push_time(html, time, self.zone, "%-d %B %Y at %H:%M (%Q)");
    }
}

fn push_state(html: &mut String, is_well: bool, text: &str) {
    html.push_str(if is_well {
        "<p class=\"state well\">"
    } else {
        "<p class=\"state ill\">"
    });
    push_text(html, text);
    html.push_str("</p>\n");
}

fn push_problems(html: &mut String, problems: &[Diagnostic]) {
    if problems.is_empty() {
        return;
    }
    html.push_str("<ul class=\"problems\">\n");
    let groups = DiagnosticGroup::all(problems);
    for group in groups.iter().take(PROBLEMS_MAX) {
        let problem = group.first();
        html.push_str("<li><code>");
        push_text(html, &problem.file);
        if let Some(place) = &problem.place {
            html.push_str(&format!(":{}:{}", place.line, place.column));
        }
        match group.others().len() {
            0 => html.push_str("</code><br>"),
            others => html.push_str(&format!("</code> and {others} more<br>")),
        }
        push_text(html, &format!("{}: {}", problem.severity, problem.message));
        if let Some(detail) = &problem.detail {
            push_text(html, &format!(": {detail}"));
        }
        html.push_str("<br><span class=\"quiet\">");
        push_text(html, &problem.advice);
        html.push_str("</span></li>\n");
    }
    html.push_str("</ul>\n");
    if groups.len() > PROBLEMS_MAX {
        let more = groups.iter().skip(PROBLEMS_MAX);
        let more: usize = more.map(|group| group.others().len() + 1).sum();
        html.push_str(&format!(
            "<p class=\"quiet\">And {more} more: <code>galley status</code> lists all of them.</p>\n"
        ));
    }
}

/// Returns `1 file`, `2 files`.
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::git::{PullFailure, RefusedCommit};

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
            looked_at: None,
            failure: None,
            waiting_edits: 0,
            conflict_branches: Vec::new(),
            reviews: Vec::new(),
        }
    }

    fn details(git: GitReport) -> String {
        let content = ContentReport {
            files: 2,
            git: Some(git),
            ..ContentReport::default()
        };
        let mut html = String::new();
        let zone = &TimeZone::get("Europe/Dublin").unwrap();
        let (content, has_folder) = (&content, true);
        SourceDetails {
            content,
            has_folder,
            waiting_edits: 0,
            zone,
        }
        .push(&mut html);
        html
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

        let content = ContentReport {
            git: Some(git),
            ..ContentReport::default()
        };
        let mut html = String::new();
        push_summary(&mut html, &content);
        assert!(html.contains("state ill"), "{html}");
        assert!(
            !html.contains("host") && !html.contains("git.example"),
            "{html}"
        );
    }
}
