//! Helpers that fetch records: `get`, `next_post`, `prev_post`.

use super::{
    HelperRow,
    coercion::{is_post, spelled},
};
use crate::{
    clock::written_time,
    front_end::{
        PageState,
        model::{self, Direction, GetRequest, GetResource, GetResult},
    },
    nql,
    templates::{Call, HelperResult, PlainObject, RenderError, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::block("get", get),
    HelperRow::block("next_post", next_post),
    HelperRow::block("prev_post", previous_post),
];

/// Maximum number of calls of `get` on a page.
const CALLS_MAX: usize = 1_000;

/// Renders its block with the records that its arguments select. If the arguments are invalid or something in the block fails,
/// renders its `{{else}}` with `@error`.
fn get(call: &mut Call<PageState>) -> HelperResult {
    if call.is_subexpression() {
        // Ghost converts the value of the call, which is undefined, to a string (6.65, recorded).
        return Ok("undefined".into());
    }
    if call.arguments().len() != 1 {
        call.write(if call.has_block() { "undefined" } else { "" });
        return Ok(Value::Undefined);
    }
    // A missing name is written as `undefined` in the message (Ghost 6.65).
    let resource = spelled(&call.argument(0));
    match GetResource::from_name(&resource) {
        // Asynchronous in Ghost, and thus late; the error for an unknown resource is not.
        Some(resource) => call.late(|call| get_records(call, resource)),
        None => failed(
            call,
            format!("Invalid \"{resource}\" resource given to get helper"),
        ),
    }
}

fn get_records(call: &mut Call<PageState>, resource: GetResource) -> HelperResult {
    if let Some(message) = refusal(call, resource) {
        return failed(call, message);
    }
    let Some(arguments) = arguments(call)? else {
        return Ok(Value::Undefined);
    };
    let state = call.state();
    // Counted for the page, because loops may contain `{{#get}}`, and each call may filter all
    // posts.
    let calls = state.get_calls.get() + 1;
    state.get_calls.set(calls);
    if calls > CALLS_MAX {
        return failed(
            call,
            format!("More than {CALLS_MAX} calls of get on a page"),
        );
    }
    match model::get(
        state,
        &GetRequest {
            resource,
            arguments,
            is_of_route: false,
        },
    ) {
        Ok(found) => block_or_else(call, resource, found),
        Err(error) => failed(call, error.message),
    }
}

/// Renders the block with records; if something in it fails, renders the `{{else}}` instead.
fn block_or_else(
    call: &mut Call<PageState>,
    resource: GetResource,
    found: GetResult,
) -> HelperResult {
    let mut parameters = vec![found.records.clone()];
    parameters.extend(found.pagination.clone());
    let context = context(resource, found);
    // Captured, because a failure in the block must not leave half of its output before the
    // `{{else}}`.
    let html = call.capture(|call| call.render_block(&context, &[], &parameters));
    match html {
        Ok(html) => call.write(&html),
        Err(error) if error.is_limit => return Err(error),
        Err(error) => return failed(call, error.message),
    }
    Ok(Value::Undefined)
}

/// Returns a context with records: the list under its name, with `meta` and `pagination`.
pub fn context(resource: GetResource, found: GetResult) -> Value {
    let mut context = PlainObject::new().with(resource.name(), found.records);
    for (name, value) in [("meta", found.meta), ("pagination", found.pagination)] {
        if let Some(value) = value {
            context.set(name, value);
        }
    }
    context.into()
}

/// Renders the `{{else}}` with the reason as `@error`; writes nothing if that fails too.
fn failed(call: &mut Call<PageState>, message: String) -> HelperResult {
    let this = call.this().clone();
    let data = [("error", Value::from(message))];
    match call.capture(|call| call.render_inverse(&this, &data)) {
        Ok(html) => call.write(&html),
        Err(error) if error.is_limit => return Err(error),
        Err(_) => {}
    }
    Ok(Value::Undefined)
}

/// Returns why arguments that are empty, missing or of the wrong type are refused. Themes may show the messages, so they are
/// those of Ghost 6.65.
fn refusal(call: &Call<PageState>, resource: GetResource) -> Option<String> {
    let mut arguments = call.hash().iter();
    arguments.find_map(|(name, value)| refusal_of(resource, name, value))
}

/// Returns why one argument is refused (Ghost 6.65, recorded).
fn refusal_of(resource: GetResource, name: &str, value: &Value) -> Option<String> {
    const NO_LIST: &str = "Params must be a string or array";
    let is_of_posts = matches!(resource, GetResource::Posts | GetResource::Pages);
    let has_relations = is_of_posts || matches!(resource, GetResource::Tags | GetResource::Authors);
    let is_empty = !value.is_true() && !matches!(value, Value::Number(_));
    // Such as `true`, a number, or the HTML that `concat` returns.
    let has_other_type = value.is_true() && !matches!(value, Value::Text(_) | Value::List(_));
    // Some messages are those of JavaScript and of libraries that fail in Ghost.
    let message = match name {
        "limit" | "page" if is_empty => return Some(refused_value(name)),
        "order" if is_empty && !matches!(value, Value::Bool(_)) => {
            return Some(refused_value(name));
        }
        "order" if has_other_type && resource != GetResource::Tiers => {
            "value.split is not a function"
        }
        "include" if has_relations && !value.is_true() => {
            "The model layer expects using `withRelated`."
        }
        "include" if has_relations && has_other_type => NO_LIST,
        "fields" if has_other_type => NO_LIST,
        "fields" if has_other_items(value) => "item.trim is not a function",
        "formats" if is_of_posts && has_other_type => NO_LIST,
        "filter" if has_relations && !is_of_posts && has_other_type => {
            "filter.match is not a function"
        }
        _ => return None,
    };
    Some(message.to_owned())
}

fn refused_value(name: &str) -> String {
    model::GetError::of_argument(name, "matches").message
}

/// Returns whether a value is a list with an item that is not a string.
fn has_other_items(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| !matches!(item, Value::Text(_))),
        _ => false,
    }
}

/// Returns the arguments that are not empty, with the paths in a filter replaced by their values; `None` if such a path is
/// invalid.
///
/// # Errors
///
/// If a limit of the page is exceeded.
fn arguments(call: &Call<PageState>) -> Result<Option<Vec<(String, String)>>, RenderError> {
    // An empty `fields` counts: it selects no fields.
    let is_given = |name: &str, value: &Value| {
        value.is_true() || name == "fields" && value.as_text().is_some()
    };
    let given = call.hash().iter();
    let given = given.filter(|(name, value)| is_given(name, value));
    let mut arguments = Vec::new();
    for (name, value) in given {
        let text = match value {
            Value::Text(filter) if &**name == "filter" => with_values(call, filter)?,
            value => Some(value.to_string()),
        };
        let Some(text) = text else { return Ok(None) };
        arguments.push((name.to_string(), text));
    }
    Ok(Some(arguments))
}

/// Returns a filter with values in place of paths such as `{{post.tags}}` or `{{@site.locale}}`. Paths beyond the maximum length
/// of a filter are not resolved, because such a filter is refused anyway.
fn with_values(call: &Call<PageState>, filter: &str) -> Result<Option<String>, RenderError> {
    let mut resolved = String::new();
    let mut rest = filter;
    while let Some((before, after)) = rest.split_once("{{")
        && resolved.len() <= nql::LENGTH_BYTES_MAX
    {
        call.step()?;
        let Some((path, after)) = after.split_once("}}") else {
            break;
        };
        resolved.push_str(before);
        if path.starts_with("@root") {
            // A filter cannot use the whole context, so the path, which is an invalid filter, is refused (Ghost 6.65).
            return Ok(Some(path.to_owned()));
        }
        let Some(values) = values(call, path) else {
            return Ok(None);
        };
        resolved.push_str(&values);
        rest = after;
    }
    resolved.push_str(rest);
    Ok(Some(resolved))
}

/// Returns the values at a path, separated by commas. A segment is a name; for a list, an index or `*` in brackets follows.
fn values(call: &Call<PageState>, path: &str) -> Option<String> {
    let path = match path {
        "post.tags" => "post.tags[*].slug",
        "post.author" => "post.author.slug",
        other => other,
    };
    // Themes write an index as in Handlebars, `.[0]`; the JSON paths that Ghost reads have `[0]`.
    let path = path.replace(".[", "[");
    let (is_data, path) = path
        .strip_prefix('@')
        .map_or((false, path.as_str()), |path| (true, path));
    let mut found: Option<Vec<Value>> = None;
    for segment in path.split('.') {
        let (name, index) = segment_of(segment)?;
        let next: Vec<Value> = match &found {
            None if is_data => vec![call.data(name)],
            None => vec![call.property(name)],
            Some(items) => items.iter().map(|item| item.get(name)).collect(),
        };
        let is_defined = |value: &Value| !matches!(value, Value::Undefined);
        let next = next.into_iter().filter(is_defined);
        found = Some(match index {
            None => next.collect(),
            Some("*") => next.flat_map(items).collect(),
            Some(index) => next
                .map(|item| item.get(index))
                .filter(is_defined)
                .collect(),
        });
    }
    let text = |value: &Value| match value {
        Value::Time(time) => written_time(*time),
        other => other.to_string(),
    };
    let texts: Vec<String> = found?.iter().map(text).collect();
    Some(texts.join(","))
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the name of a segment and the content of its brackets; `None` if the segment is invalid.
fn segment_of(segment: &str) -> Option<(&str, Option<&str>)> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (name, index) = match segment
        .strip_suffix(']')
        .and_then(|segment| segment.split_once('['))
    {
        Some((name, index)) => (name, Some(index)),
        None => (segment, None),
    };
    let is_index = index.is_none_or(|index| {
        index == "*" || !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
    });
    (is_name(name) && is_index).then_some((name, index))
}

/// Renders its block with the next newer post.
fn next_post(call: &mut Call<PageState>) -> HelperResult {
    call.late(|call| neighbour(call, Direction::Next))
}

/// Renders its block with the next older post.
fn previous_post(call: &mut Call<PageState>) -> HelperResult {
    call.late(|call| neighbour(call, Direction::Previous))
}

fn neighbour(call: &mut Call<PageState>, direction: Direction) -> HelperResult {
    if call.is_subexpression() {
        return Ok("undefined".into());
    }
    if !call.has_block() {
        return Ok(Value::Undefined);
    }
    let this = call.this().clone();
    let state = call.state();
    // On an error page, Ghost writes nothing (6.65).
    if state.contexts.is_empty() {
        return Ok(Value::Undefined);
    }
    let is_preview = state.contexts.iter().any(|context| context == "preview");
    let within = call.option("in").and_then(Value::as_text);
    // A preview is not in the list of posts, and a page has no neighbours.
    let has_neighbours = !is_preview && is_post(&this) && !call.property("page").is_true();
    let found = has_neighbours
        .then(|| model::neighbour(state, &this, direction, within))
        .flatten();
    let Some(post) = found else {
        call.render_inverse(&this, &[])?;
        return Ok(Value::Undefined);
    };
    let html = call.capture(|call| call.render_block(&post, &[], &[]));
    match html {
        Ok(html) => call.write(&html),
        Err(error) if error.is_limit => return Err(error),
        Err(error) => return failed(call, error.message),
    }
    Ok(Value::Undefined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_other_types_are_refused_in_the_words_of_ghost() {
        use GetResource::{Authors, Newsletters, Posts, Tags, Tiers};
        let text = Value::from("slug");
        let html = Value::html("slug");
        let number = Value::Number(5.0);
        let no_list = Some("Params must be a string or array");
        for (resource, name, value, expected) in [
            (Posts, "include", &text, None),
            (Posts, "include", &html, no_list),
            (Tiers, "include", &html, None),
            (Newsletters, "include", &Value::Null, None),
            (
                Tags,
                "include",
                &Value::Null,
                Some("The model layer expects using `withRelated`."),
            ),
            (Tiers, "fields", &Value::Bool(true), no_list),
            (Posts, "formats", &number, no_list),
            (Tags, "formats", &number, None),
            (Posts, "order", &html, Some("value.split is not a function")),
            (Tiers, "order", &number, None),
            (Posts, "filter", &html, None),
            (
                Authors,
                "filter",
                &html,
                Some("filter.match is not a function"),
            ),
            (Posts, "limit", &html, None),
            (
                Posts,
                "limit",
                &Value::Null,
                Some("Validation (matches) failed for limit"),
            ),
        ] {
            let refused = refusal_of(resource, name, value);
            assert_eq!(
                refused.as_deref(),
                expected,
                "{resource:?} {name} {value:?}"
            );
        }
    }

    #[test]
    fn segments_have_names_and_indexes() {
        assert_eq!(segment_of("tags[*]"), Some(("tags", Some("*"))));
        assert_eq!(segment_of("posts[1]"), Some(("posts", Some("1"))));
        assert_eq!(segment_of("slug"), Some(("slug", None)));
        for invalid in ["", " slug", "tags[]", "tags[x]", "a-b"] {
            assert_eq!(segment_of(invalid), None, "{invalid}");
        }
    }
}
