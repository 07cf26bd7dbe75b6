//! A whole site as one archive: the exports of other endpoints, under Ghost's names.

use std::{
    fs::File,
    io::{self, Cursor, Seek},
};

use http::{HeaderValue, StatusCode, header};

use super::{
    Reply, Request, db, member_lists, posts::export, redirects, reply::ReplyBody, routes_file,
    themes::themes_of,
};
use crate::{
    archive::ArchiveWriter,
    atomic_file,
    error::{Error, Kind, Result},
};

/// The parts of an export, by their names on the wire.
const COMPONENTS: &[&str] = &["members", "analytics", "content", "themes", "routes"];

/// `GET admin/exports/download/`: `components` selects the parts of the archive, by default all.
pub fn download(request: &Request) -> Result<Reply> {
    let components = components(request)?;
    let data = &request.options().files.data;
    let file = atomic_file::unnamed(data).map_err(Error::internal)?;
    let mut archive = ArchiveWriter::new(&file);
    for component in components {
        match component {
            "members" => add(&mut archive, "members.csv", member_lists::export(request)?)?,
            "analytics" => add(
                &mut archive,
                "post-analytics.csv",
                export::all_posts(request)?,
            )?,
            "content" => add(&mut archive, "export.json", db::export(request)?)?,
            "routes" => {
                add(
                    &mut archive,
                    "redirects.yaml",
                    redirects::download(request)?,
                )?;
                add(&mut archive, "routes.yaml", routes_file::download(request)?)?;
            }
            _ => {
                // `components` returns only names of the table, so this is `themes`.
                for theme in themes_of(request).all()? {
                    let mut file = atomic_file::unnamed(data).map_err(Error::internal)?;
                    theme.write_zip(&mut file)?;
                    let name = format!("themes/{}.zip", theme.name);
                    add_file(&mut archive, &name, file).map_err(Error::internal)?;
                }
            }
        }
    }
    archive.finish().map_err(Error::internal)?;
    let length = file.metadata().map_err(Error::internal)?.len();
    let kind = HeaderValue::from_static("application/zip");
    let date = request.now.strftime("%Y-%m-%d");
    let disposition = format!("attachment; filename=\"export.{date}.zip\"");
    Ok(
        Reply::new(StatusCode::OK, ReplyBody::File(kind, file, length))
            .with_text(header::CONTENT_DISPOSITION, &disposition)
            .uncompressed(),
    )
}

/// `POST admin/exports/`: always refused. Ghost's hosts prepare an export with all media and send a
/// link to it.
pub fn request_by_mail(request: &Request) -> Result<Reply> {
    let help = format!(
        "`galley backup` writes the whole site with its media into one file, and \
         GET /{}/api/admin/exports/download/ is an archive without media.",
        request.options().path_prefix
    );
    Err(Error::new(Kind::BadRequest, "Galley does not send exports by mail.").help(help))
}

/// Returns the components that the request names, without duplicates; all of them by default.
fn components(request: &Request) -> Result<Vec<&'static str>> {
    let Some(named) = request.parameters.joined("components") else {
        return Ok(COMPONENTS.to_vec());
    };
    let names: Vec<&str> = named.split(',').map(str::trim).collect();
    if let Some(unknown) = names.iter().find(|name| !COMPONENTS.contains(name)) {
        return Err(Error::new(
            Kind::Validation,
            format!(
                "\"components\" must be a list of {}; \"{unknown}\" is not one of them.",
                COMPONENTS.join(", ")
            ),
        ));
    }
    let is_named = |component: &&&str| names.contains(component);
    Ok(COMPONENTS.iter().filter(is_named).copied().collect())
}

/// Adds the body of a reply as a file.
fn add(archive: &mut ArchiveWriter, name: &str, reply: Reply) -> Result<()> {
    let written = match reply.body {
        ReplyBody::File(_, file, _) => add_file(archive, name, file),
        ReplyBody::Other(_, bytes) => archive.add(name, Cursor::new(bytes)),
        ReplyBody::Failure(error) => return Err(error),
        ReplyBody::Empty | ReplyBody::Json(_) => Ok(()),
    };
    written.map_err(Error::internal)
}

fn add_file(archive: &mut ArchiveWriter, name: &str, mut file: File) -> io::Result<()> {
    // The file was just written, so its offset is at its end.
    file.rewind()?;
    archive.add(name, file)
}
