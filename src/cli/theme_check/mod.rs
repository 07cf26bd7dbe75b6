//! `galley theme check`: checks a theme like an uploaded one, and renders each of its templates with a sample
//! site.

mod rendering;
mod sample_site;

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde::Serialize;

use self::rendering::render;
use super::terminal::Output;
use crate::{
    atomic_file,
    cli::{command_failure::CommandFailure, quantities::numbered},
    error::Result,
    front_end::{Theme, pages::ThemeProblem},
    themes::{Finding, IncomingTheme, Level, Themes, code_of, template_errors},
    uploads::Uploads,
};

/// The arguments of `theme check`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley theme check .\n  galley theme check my-theme.zip --json\n\nThe theme is checked as an upload is, and each of its templates is rendered with a sample site for an anonymous reader, a\n\
                  free and a paying member. The exit code is 1 if there is an error, 0 otherwise. No server and no network are needed."
)]
pub struct ThemeCheckArguments {
    /// A folder, or an archive (zip)
    path: PathBuf,
    /// Print a JSON list of objects
    #[arg(long)]
    json: bool,
}

/// A problem of a theme.
#[derive(Serialize)]
struct ThemeFinding {
    level: Level,
    /// The code of the upload rule that the theme breaks.
    code: Option<&'static str>,
    #[serde(flatten)]
    problem: ThemeProblem,
    /// The page of the sample site that cannot be rendered.
    page: Option<String>,
    /// The reader of that page.
    reader: Option<&'static str>,
}

/// Reports the problems of a theme.
pub fn run(arguments: &ThemeCheckArguments, quiet: bool) -> Result<ExitCode, CommandFailure> {
    let folder = atomic_file::temporary_folder("galley-theme-")?;
    let checked = check(&arguments.path, folder.path());
    let checked = checked.map_err(|error| CommandFailure::Command(error.to_string()))?;
    folder.close()?;
    let mut out = Output::standard();
    if arguments.json {
        out.json(&checked.findings)?;
    } else {
        print(&mut out, &checked, quiet)?;
    }
    let has_errors = checked.count(Level::Error) > 0;
    Ok(if has_errors {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A checked theme.
struct CheckedTheme {
    name: String,
    /// The number of rendered pages.
    pages: usize,
    findings: Vec<ThemeFinding>,
}

impl CheckedTheme {
    fn count(&self, level: Level) -> usize {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.level == level).count()
    }
}

/// Checks the theme at `path`. Its copy and the sample site are written to `folder`.
fn check(path: &Path, folder: &Path) -> Result<CheckedTheme> {
    let themes = Themes::of(&Uploads::in_data(folder));
    let (incoming, name) = IncomingTheme::at(&themes, path)?;
    let theme = incoming.theme(&name);
    let report = theme.report();
    let findings = report.findings();
    let errors = template_errors(&theme);
    let of_templates: BTreeSet<&str> = errors.iter().map(code_of).collect();
    let findings = findings.flat_map(|finding| findings_of(finding, &of_templates));
    let of_templates = errors.iter().map(|error| ThemeFinding {
        level: Level::Error,
        code: Some(code_of(error)),
        problem: error.into(),
        page: None,
        reader: None,
    });
    let mut findings: Vec<ThemeFinding> = findings.chain(of_templates).collect();
    let rendered = render(Theme::new(theme), folder)?;
    let known: Vec<ThemeProblem> = findings
        .iter()
        .map(|finding| finding.problem.clone())
        .collect();
    let failed = rendered.problems.into_iter();
    let is_known = |problem: &ThemeProblem| known.iter().any(|own| own.is_at_position_of(problem));
    let failed = failed.filter(|(problem, _)| !is_known(problem));
    findings.extend(failed.map(|(problem, at)| ThemeFinding {
        level: Level::Error,
        code: None,
        problem,
        page: Some(at.page),
        reader: Some(at.reader),
    }));
    findings.sort_by_key(|finding| finding.level);
    Ok(CheckedTheme {
        name,
        pages: rendered.pages,
        findings,
    })
}

/// Returns the findings of a rule, except template errors, whose codes are `of_templates`.
fn findings_of(finding: &Finding, of_templates: &BTreeSet<&str>) -> Vec<ThemeFinding> {
    let failures = finding.failures.iter();
    let has_position = |message: &Option<String>| {
        let message = message.as_deref().unwrap_or_default();
        of_templates.contains(finding.code) && message.starts_with("line ")
    };
    failures
        .filter(|failure| !has_position(&failure.message))
        .map(|failure| {
            let message = failure.message.as_deref();
            let message = message.map_or_else(String::new, |message| format!(". {message}"));
            ThemeFinding {
                level: finding.level,
                code: Some(finding.code),
                problem: ThemeProblem {
                    template: Some(failure.file.clone()),
                    help: Some(finding.details.clone()),
                    ..ThemeProblem::new(format!("{}{message}", finding.rule))
                },
                page: None,
                reader: None,
            }
        })
        .collect()
}

fn print(out: &mut Output, checked: &CheckedTheme, quiet: bool) -> io::Result<()> {
    let is_shown = |finding: &&ThemeFinding| !quiet || finding.level == Level::Error;
    for finding in checked.findings.iter().filter(is_shown) {
        let level = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Recommendation => "recommendation",
        };
        let problem = ThemeProblem {
            help: None,
            ..finding.problem.clone()
        };
        writeln!(out, "{level}: {problem}")?;
        if let (Some(page), Some(reader)) = (&finding.page, finding.reader) {
            writeln!(out, "  on {page} for {reader}")?;
        }
        if let Some(help) = &finding.problem.help {
            writeln!(out, "  {help}")?;
        }
    }
    if quiet {
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} rendered, {}, {}",
        checked.name,
        numbered(checked.pages, "page"),
        numbered(checked.count(Level::Error), "error"),
        numbered(checked.count(Level::Warning), "warning")
    )
}
