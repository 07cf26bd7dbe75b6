//! Themes (Ghost 6.65, recorded).

use std::fs::File;

use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::{Reply, Request, reply::ReplyBody, uploaded_file};
use crate::{
    admin::themes::{self, CheckedTheme},
    atomic_file,
    error::{Error, Kind, Result},
    themes::{GitHubRepository, IncomingTheme, Theme, Themes, name_of_file},
};

/// The part of the body that holds the archive.
const FILE_FIELD: &str = "file";

/// The host that themes are installed from.
const SOURCE: &str = "github";

/// `GET admin/themes/`
pub fn browse(request: &Request) -> Result<Reply> {
    let themes = themes_of(request);
    let active = themes.active(&request.snapshot.catalog.settings);
    let views: Vec<Value> = themes
        .all()?
        .iter()
        .map(|theme| view(theme, theme.name == active.name))
        .collect();
    Ok(Reply::value(&json!({ "themes": views })))
}

/// `GET admin/themes/active/`
pub fn read_active(request: &Request) -> Result<Reply> {
    let theme = themes_of(request).active(&request.snapshot.catalog.settings);
    let report = theme.report();
    Ok(envelope(&CheckedTheme {
        theme,
        report,
        is_active: true,
    }))
}

/// `POST admin/themes/upload/`: 200, not 201.
pub fn upload(request: &Request) -> Result<Reply> {
    let (head, archive) = uploaded_file::read(request, FILE_FIELD)?;
    let name = name_of_file(&head.name)?;
    // Checked before the archive is unpacked.
    themes::check_name(&name)?;
    let themes = themes_of(request);
    let incoming = IncomingTheme::from_archive(&themes, archive)?;
    let settings_from = request.parameters.first("copy_settings_from");
    add(request, &themes, &name, &incoming, settings_from)
}

/// `POST admin/themes/install/`: installs the theme in a GitHub repository, as if its archive were uploaded (Ghost 6.65).
pub fn install(request: &Request) -> Result<Reply> {
    let parameter = |name: &str| request.parameters.first(name).unwrap_or_default();
    if parameter("source") != SOURCE {
        let message = format!("\"source\" must be \"{SOURCE}\".");
        return Err(Error::new(Kind::Validation, message));
    }
    let repository = GitHubRepository::parse(parameter("ref"))?;
    let name = repository.theme_name()?;
    // Checked before anything is downloaded.
    themes::check_name(&name)?;
    let data = &request.options().files.data;
    let mut archive = atomic_file::unnamed(data).map_err(Error::internal)?;
    let live = request.api.live();
    repository.download(
        &live.media,
        &live.github,
        live.upload_bytes_max,
        &mut archive,
    )?;
    let themes = themes_of(request);
    let incoming = IncomingTheme::from_archive(&themes, archive)?;
    add(request, &themes, &name, &incoming, None)
}

fn add(
    request: &Request,
    themes: &Themes,
    name: &str,
    incoming: &IncomingTheme,
    settings_from: Option<&str>,
) -> Result<Reply> {
    let (site, actor) = (request.site(), request.actor()?);
    let added = themes::add(site, actor, themes, name, incoming, settings_from)?;
    let reply = envelope(&added);
    Ok(if added.is_active {
        // The pages changed without a commit, so the cache does not notice.
        request.api.drop_cached_responses();
        reply.invalidating("/*")
    } else {
        reply
    })
}

/// `PUT admin/themes/{name}/activate/`
pub fn activate(request: &Request) -> Result<Reply> {
    let themes = themes_of(request);
    let activated = themes::activate(
        request.site(),
        request.actor()?,
        &themes,
        request.variable(),
    )?;
    Ok(envelope(&activated).invalidating("/*"))
}

/// `GET admin/themes/{name}/download/`
pub fn download(request: &Request) -> Result<Reply> {
    let theme = themes_of(request).find(request.variable()).ok_or_else(|| {
        let message = format!("There is no theme \"{}\".", request.variable());
        Error::new(Kind::BadRequest, message)
    })?;
    let data = &request.options().files.data;
    // The archive may be large, so it is written to disk, not held in memory.
    let mut file: File = atomic_file::unnamed(data).map_err(Error::internal)?;
    let length = theme.write_zip(&mut file)?;
    let kind = HeaderValue::from_static("application/zip");
    let disposition = format!("attachment; filename={}.zip", theme.name);
    Ok(
        Reply::new(StatusCode::OK, ReplyBody::File(kind, file, length))
            .with_text(header::CONTENT_DISPOSITION, &disposition)
            .uncompressed(),
    )
}

/// `DELETE admin/themes/{name}/`
pub fn delete(request: &Request) -> Result<Reply> {
    let themes = themes_of(request);
    themes::delete(
        request.site(),
        request.actor()?,
        &themes,
        request.variable(),
    )?;
    Ok(Reply::no_content().invalidating("/*"))
}

/// Returns the themes of the site.
pub(super) fn themes_of(request: &Request) -> Themes {
    Themes::of(&request.options().files.uploads)
}

fn envelope(examined: &CheckedTheme) -> Reply {
    let mut view = view(&examined.theme, examined.is_active);
    for (key, findings) in [
        ("warnings", &examined.report.warnings),
        ("errors", &examined.report.errors),
    ] {
        if !findings.is_empty() {
            view[key] = json!(findings);
        }
    }
    Reply::value(&json!({ "themes": [view] }))
}

fn view(theme: &Theme, is_active: bool) -> Value {
    let package = theme.package().unwrap_or(Value::Bool(false));
    let mut view = json!({"name": theme.name, "package": package, "active": is_active});
    if is_active {
        let templates = theme.top_templates();
        let chosen: Vec<Value> = templates.iter().filter_map(|name| template(name)).collect();
        view["templates"] = json!(chosen);
    }
    view
}

/// Returns the description of a template for posts or pages: one that editors can choose, or one for a
/// single slug (Ghost 6.65, recorded). `None` for other templates.
fn template(name: &str) -> Option<Value> {
    let (kind, rest) = name.split_once('-').filter(|(_, rest)| !rest.is_empty())?;
    let (kinds, slug) = match kind {
        "custom" => (json!(["page", "post"]), Value::Null),
        "page" | "post" => (json!([kind]), json!(rest)),
        _ => return None,
    };
    let words = rest.split('-').filter(|word| !word.is_empty());
    let title: Vec<String> = words
        .map(|word| {
            let mut characters = word.chars();
            let first = characters
                .next()
                .map(|first| first.to_uppercase().to_string());
            first.unwrap_or_default() + characters.as_str()
        })
        .collect();
    Some(json!({"filename": name, "name": title.join(" "), "for": kinds, "slug": slug}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_names_determine_their_use() {
        assert_eq!(
            template("custom-wide-image"),
            Some(
                json!({"filename": "custom-wide-image", "name": "Wide Image", "for": ["page", "post"], "slug": null})
            )
        );
        assert_eq!(template("page-about").unwrap()["slug"], "about");
        assert_eq!(template("post-about").unwrap()["for"], json!(["post"]));
        for name in ["index", "custom-", "tag-news", "error-404"] {
            assert_eq!(template(name), None, "{name}");
        }
    }
}
