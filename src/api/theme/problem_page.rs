//! The page that shows the author of a theme why a page cannot be rendered: the template, the position, and the lines around it.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, StatusCode};

use crate::{
    api::{html_page, response::Response},
    front_end::pages::ThemeProblem,
    themes::{Theme, template_errors},
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("problem_page.css")
);

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'none'"));

/// Number of lines shown before and after the line with a problem.
const LINES_AROUND: usize = 4;

/// Most problems that are shown.
const PROBLEMS_MAX: usize = 20;

#[derive(Template)]
#[template(path = "api/theme/problem_page.html", config = "src/askama.toml")]
struct ProblemPage<'a> {
    theme: &'a str,
    problems: Vec<ShownProblem>,
}

/// A problem with the lines around its position.
struct ShownProblem {
    problem: ThemeProblem,
    lines: Vec<SourceLine>,
}

struct SourceLine {
    number: usize,
    text: String,
    /// White space as wide as the text before the problem; `None` on lines without a problem.
    indentation: Option<String>,
}

/// Returns the page for a problem. It lists errors in the theme's templates first, because they may be the cause.
pub(super) fn response(theme: &Theme, problem: &ThemeProblem, status: StatusCode) -> Response {
    let mut problems: Vec<ThemeProblem> = template_errors(theme)
        .iter()
        .map(ThemeProblem::from)
        .collect();
    if !problems.iter().any(|own| own.is_at_position_of(problem)) {
        problems.push(problem.clone());
    }
    let problems = problems.into_iter().take(PROBLEMS_MAX);
    let page = ProblemPage {
        theme: &theme.name,
        problems: problems
            .map(|problem| ShownProblem {
                lines: lines_around(theme, &problem),
                problem,
            })
            .collect(),
    };
    html_page::response(&page, status, POLICY.clone())
}

/// Returns the lines around the position of a problem; an empty list if the position is unknown.
fn lines_around(theme: &Theme, problem: &ThemeProblem) -> Vec<SourceLine> {
    let text = problem.template.as_deref();
    let text = text.and_then(|path| theme.template(path));
    let (Some(text), Some(line)) = (text, problem.line) else {
        return Vec::new();
    };
    let first = line.saturating_sub(LINES_AROUND).max(1);
    let lines = (first..).zip(text.lines().skip(first - 1));
    lines
        .take_while(|(number, _)| *number <= line + LINES_AROUND)
        .map(|(number, text)| SourceLine {
            number,
            text: text.to_owned(),
            indentation: (number == line).then(|| indentation(text, problem.column)),
        })
        .collect()
}

/// Returns white space up to a column: tabs where the text has tabs, and otherwise spaces.
fn indentation(text: &str, column: Option<usize>) -> String {
    let before = text.chars().take(column.unwrap_or(1).saturating_sub(1));
    let blank = |character| if character == '\t' { '\t' } else { ' ' };
    before.map(blank).collect()
}
