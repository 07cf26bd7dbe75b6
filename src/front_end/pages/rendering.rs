//! Rendering of pages and error pages.

use super::{
    page_response::{RenderedPage, ThemeProblem},
    template_names,
};
use crate::{
    error::Error,
    front_end::{helpers, model, public_files, state::PageState},
    templates::{Limits, PlainObject, RenderError, Value, escape},
};

/// The media type of a page.
const HTML: &str = "text/html; charset=utf-8";

/// The reason why a page cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageFailure {
    /// A list has fewer pages.
    #[error("the list has no such page")]
    NoSuchPage,
    /// A record of the page does not exist.
    #[error("a record of the page does not exist")]
    NotFound,
    /// The theme has none of the templates of a route.
    #[error("Missing template {names} for route \"{path}\".")]
    MissingTemplate {
        /// The file names, separated by commas.
        names: String,
        /// The path of the route.
        path: String,
    },
    /// The theme has no templates at all, for instance because its folder was removed during editing.
    #[error("The theme \"{0}\" is missing, or has no templates.")]
    NoTemplates(String),
    /// The records that a route passes to its template cannot be found.
    #[error("{0}")]
    Data(String),
    /// A template failed.
    #[error(transparent)]
    Template(#[from] RenderError),
    /// The site cannot be read.
    #[error(transparent)]
    Site(#[from] Error),
}

/// Renders a page with the first of the named templates that the theme has.
///
/// # Errors
///
/// If the theme has none of the templates, or if the template fails.
pub(super) fn render(
    state: &PageState,
    names: &[String],
    root: PlainObject,
    page_settings: Option<Value>,
) -> Result<RenderedPage, PageFailure> {
    let templates = &state.theme.templates;
    let Some(name) = names.iter().find(|name| templates.contains(name)) else {
        if templates.is_empty() {
            return Err(PageFailure::NoTemplates(state.theme.name.clone()));
        }
        let files = names.iter().map(|name| format!("{name}.hbs"));
        return Err(PageFailure::MissingTemplate {
            names: files.collect::<Vec<_>>().join(", "),
            path: state.site_urls.public_path(&state.path),
        });
    };
    let root = locals(state, root).with("context", contexts(state));
    let text = match run(state, name, root, page_settings.clone()) {
        Ok(text) => text,
        // Here and not in the caller: the error page needs the contexts of this page.
        Err(failure @ PageFailure::Template(_)) => {
            return Ok(failed_in_context(state, &failure, page_settings));
        }
        Err(failure) => return Err(failure),
    };
    Ok(RenderedPage {
        status: 200,
        content_type: HTML.to_owned(),
        text,
        is_missing: false,
        problem: None,
    })
}

fn contexts(state: &PageState) -> Vec<Value> {
    let contexts = state.contexts.iter();
    contexts.map(|context| context.as_str().into()).collect()
}

/// Renders a template; `page_settings` is `@page`.
fn run(
    state: &PageState,
    name: &str,
    root: PlainObject,
    page_settings: Option<Value>,
) -> Result<String, PageFailure> {
    let mut data = model::site_data(state)?;
    data.push(("page", page_settings.unwrap_or_default()));
    let templates = &state.theme.templates;
    let limits = Limits::default();
    let text = templates.render(name, &root.into(), &data, state, helpers::find, &limits)?;
    // Reading a property cannot fail, so errors are collected in the model.
    match state.model.take_failure() {
        Some(error) => Err(error.into()),
        None => Ok(text),
    }
}

/// Returns the properties that all pages have.
fn locals(state: &PageState, root: PlainObject) -> PlainObject {
    root.with("relativeUrl", state.path.as_str())
        .with("version", VERSION)
        .with("safeVersion", SAFE_VERSION)
}

/// The version of Ghost that templates see.
const VERSION: &str = "6.65.0";
const SAFE_VERSION: &str = "6.65";

/// Returns the error page for a failure. If the theme is at fault, the page contains the problem, which the caller logs or
/// reports.
pub(super) fn failed(state: &PageState, failure: &PageFailure) -> RenderedPage {
    let state = PageState {
        contexts: Vec::new(),
        ..state.clone()
    };
    failed_in_context(&state, failure, None)
}

/// Returns the error page for a failure. After a failed template, it has the contexts and the `@page` of the failed page, but not
/// its records (Ghost 6.65).
fn failed_in_context(
    state: &PageState,
    failure: &PageFailure,
    page_settings: Option<Value>,
) -> RenderedPage {
    match failure {
        // Only for lists, Ghost's message ends with a full stop (6.65).
        PageFailure::NoSuchPage => {
            let missing = Error::not_found("Page");
            return RenderedPage {
                is_missing: true,
                ..error_page(state, 404, missing.message(), None)
            };
        }
        PageFailure::NotFound => {
            return RenderedPage {
                is_missing: true,
                ..not_found(state)
            };
        }
        PageFailure::Site(error) => {
            let path = &state.path;
            tracing::error!(path, %error, "a page cannot be rendered");
        }
        PageFailure::Template(_)
        | PageFailure::MissingTemplate { .. }
        | PageFailure::NoTemplates(_)
        | PageFailure::Data(_) => {}
    }
    let (status, message) = match failure {
        PageFailure::Site(_) => (500, "An unexpected error occurred.".to_owned()),
        PageFailure::Template(error) => (400, described(error)),
        _ => (400, failure.to_string()),
    };
    let problem = match failure {
        PageFailure::Template(error) => error.into(),
        _ => ThemeProblem::new(&message),
    };
    let page = error_page(state, status, &message, page_settings);
    RenderedPage {
        problem: Some(problem),
        ..page
    }
}

/// Returns the message of an error with the file of the page's template in Ghost's form. The file of a partial is not named.
fn described(error: &RenderError) -> String {
    let file = error
        .page
        .as_deref()
        .and_then(|path| path.rsplit('/').next());
    match file {
        Some(file) => format!("[{file}] {}", error.message),
        None => error.message.clone(),
    }
}

pub(super) fn not_found(state: &PageState) -> RenderedPage {
    error_page(state, 404, "Page not found", None)
}

/// Returns an error page from the theme's template for errors, or from the built-in one.
pub fn error(state: PageState, status: u16, message: &str) -> RenderedPage {
    error_page(&state, status, message, None)
}

fn error_page(
    state: &PageState,
    status: u16,
    message: &str,
    page_settings: Option<Value>,
) -> RenderedPage {
    // For a missing file, plain text suffices: a rendered page could in turn refer to missing files.
    if has_extension(&state.path) {
        let text = format!("{message}\n");
        return RenderedPage {
            status,
            content_type: "text/plain; charset=utf-8".to_owned(),
            text,
            is_missing: false,
            problem: None,
        };
    }
    let state = &PageState {
        status,
        ..state.clone()
    };
    let names = template_names::of_error(status);
    let templates = &state.theme.templates;
    let Some(name) = names.iter().find(|name| templates.contains(name)) else {
        return built_in(state, status, message);
    };
    let mut root = locals(state, PlainObject::new());
    if !state.contexts.is_empty() {
        root.set("context", contexts(state));
    }
    let root = root
        .with("statusCode", f64::from(status))
        .with("message", message)
        .with("errorDetails", Vec::<Value>::new());
    match run(state, name, root, page_settings) {
        Ok(text) => RenderedPage {
            status,
            content_type: HTML.to_owned(),
            text,
            is_missing: false,
            problem: None,
        },
        Err(error) => {
            let message = format!("The error page cannot be rendered: {error}");
            RenderedPage {
                status: 500,
                problem: Some(match &error {
                    PageFailure::Template(error) => error.into(),
                    _ => ThemeProblem::new(error.to_string()),
                }),
                ..built_in(state, 500, &message)
            }
        }
    }
}

fn has_extension(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty())
}

/// The style sheet of built-in pages.
const STYLES: &str = "ghost.min.css";

/// The error page for themes without a template for errors.
const BUILT_IN_ERROR: &str = include_str!("error.hbs");

fn built_in(state: &PageState, status: u16, message: &str) -> RenderedPage {
    // The page has its own style sheet: the theme may be what failed.
    let styles = public_files::find(STYLES, &state.theme.package);
    let sum = styles.map(|styles| styles.sum).unwrap_or_default();
    let styles = format!("{}/public/{STYLES}?v={sum}", state.site_urls.subdirectory());
    // The message is inserted last, because it may contain the other placeholders.
    let text = BUILT_IN_ERROR
        .replace("{{status}}", &status.to_string())
        .replace("{{styles}}", &styles)
        .replace("{{home}}", &escape(state.site_urls.base()))
        .replace("{{message}}", &escape(message));
    RenderedPage {
        status,
        content_type: HTML.to_owned(),
        text,
        is_missing: false,
        problem: None,
    }
}

/// Returns the page of a private site that asks for the password; `error` is the reason why the last password was refused.
pub fn private(state: PageState, error: Option<&str>) -> RenderedPage {
    let state = PageState {
        contexts: vec!["private".to_owned()],
        ..state
    };
    let mut root = PlainObject::new();
    if let Some(error) = error {
        root.set("error", PlainObject::new().with("message", error));
    }
    let rendered = render(&state, &["private".to_owned()], root, None);
    match rendered {
        Ok(page) => page,
        Err(PageFailure::MissingTemplate { .. } | PageFailure::NoTemplates(_)) => {
            built_in_private(&state, error)
        }
        Err(failure) => failed(&state, &failure),
    }
}

/// The template of the password page for themes without one.
const BUILT_IN_PRIVATE: &str = include_str!("private.hbs");

fn built_in_private(state: &PageState, error: Option<&str>) -> RenderedPage {
    let escaped = |text: &str| escape(text);
    let title = state
        .snapshot
        .catalog
        .settings
        .text("title")
        .unwrap_or_default();
    let text = BUILT_IN_PRIVATE
        .replace("{{title}}", &escaped(&title))
        .replace("{{error}}", &escaped(error.unwrap_or_default()));
    RenderedPage {
        status: 200,
        content_type: HTML.to_owned(),
        text,
        is_missing: false,
        problem: None,
    }
}
