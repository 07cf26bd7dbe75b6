//! How the sources of the site are, for people: in full for whoever sits at the machine, in a word for everybody else.

use crate::{
    render::html_escape::push_text,
    sources::{ContentReport, Diagnostic},
};

/// Most problems that the page tells one by one.
const PROBLEMS_MAX: usize = 20;

/// Appends all there is to tell; `has_folder` is whether the site has content files at all.
pub fn push_in_full(html: &mut String, content: &ContentReport, has_folder: bool) {
    if !has_folder {
        push_state(
            html,
            true,
            "There is no folder of content files: what is here was written through the Admin API, or imported.",
        );
        return;
    }
    let files = counted(content.files, "content file");
    match content.problems.len() {
        0 => push_state(html, true, &format!("{files} read, no problems.")),
        count => {
            let problems = counted(count, "problem");
            let stays = match content.has_errors() {
                true => " What cannot be used stays as its last good version was.",
                false => "",
            };
            let told = format!("{files} read, {problems}.{stays}");
            push_state(html, !content.has_errors(), &told);
            push_problems(html, &content.problems);
        }
    }
}

/// Appends whether all is well.
pub fn push_in_a_word(html: &mut String, content: &ContentReport) {
    match content.has_errors() {
        false => push_state(html, true, "All is well."),
        true => {
            push_state(
                html,
                false,
                "Something cannot be used; its last good version is shown.",
            );
            html.push_str(
                "<p class=\"quiet\">Whoever runs the site sees what it is with <code>galley status</code>.</p>\n",
            );
        }
    }
}

fn push_state(html: &mut String, is_well: bool, told: &str) {
    html.push_str(match is_well {
        true => "<p class=\"state well\">",
        false => "<p class=\"state ill\">",
    });
    push_text(html, told);
    html.push_str("</p>\n");
}

fn push_problems(html: &mut String, problems: &[Diagnostic]) {
    html.push_str("<ul class=\"problems\">\n");
    for problem in problems.iter().take(PROBLEMS_MAX) {
        html.push_str("<li><code>");
        push_text(html, &problem.file);
        if let Some(place) = &problem.place {
            html.push_str(&format!(":{}:{}", place.line, place.column));
        }
        html.push_str("</code><br>");
        push_text(html, &format!("{}: {}", problem.severity, problem.message));
        html.push_str("<br><span class=\"quiet\">");
        push_text(html, &problem.advice);
        html.push_str("</span></li>\n");
    }
    html.push_str("</ul>\n");
    if problems.len() > PROBLEMS_MAX {
        let more = problems.len() - PROBLEMS_MAX;
        html.push_str(&format!(
            "<p class=\"quiet\">And {more} more: <code>galley status</code> tells them all.</p>\n"
        ));
    }
}

/// `1 file`, `2 files`.
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
