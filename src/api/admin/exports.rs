//! A whole site as one archive: what other endpoints export, by Ghost's names.

use std::{
    fs::File,
    io::{self, BufWriter, Cursor, Read, Seek, Write},
};

use http::{HeaderValue, StatusCode, header};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    Reply, Request, db, member_lists, posts::export, redirects, reply::ReplyBody, routes_file,
    themes::themes_of,
};
use crate::{
    atomic_file,
    error::{Error, Kind, Result},
};

/// What can be exported, by its name on the wire.
const COMPONENTS: &[&str] = &["members", "analytics", "content", "themes", "routes"];

/// `GET admin/exports/download/`: `components` selects what the archive has, by default all.
pub fn download(request: &Request) -> Result<Reply> {
    let components = components(request)?;
    let data = &request.options().files.data;
    let file = atomic_file::unnamed(data).map_err(Error::internal)?;
    let mut archive = Archive(ZipWriter::new(BufWriter::new(&file)));
    for component in components {
        match component {
            "members" => archive.add("members.csv", member_lists::export(request)?)?,
            "analytics" => archive.add("post-analytics.csv", export::all_posts(request)?)?,
            "content" => archive.add("export.json", db::export(request)?)?,
            "routes" => {
                archive.add("redirects.yaml", redirects::download(request)?)?;
                archive.add("routes.yaml", routes_file::download(request)?)?;
            }
            _ => {
                for theme in themes_of(request).all()? {
                    let mut packed = atomic_file::unnamed(data).map_err(Error::internal)?;
                    theme.pack(&mut packed)?;
                    archive.add_file(&format!("themes/{}.zip", theme.name), packed)?;
                }
            }
        }
    }
    archive.finish()?;
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

/// `POST admin/exports/`: Ghost's hosts prepare an export with all media and send a link to it.
pub fn request_by_mail(_request: &Request) -> Result<Reply> {
    Err(
        Error::new(Kind::BadRequest, "Galley sends no exports by mail.").help(
            "`galley backup` writes the whole site with its media into one file, and \
             GET /ghost/api/admin/exports/download/ is an archive without media.",
        ),
    )
}

/// Returns the components that the request names, each once.
fn components(request: &Request) -> Result<Vec<&'static str>> {
    let Some(named) = request.parameters.joined("components") else {
        return Ok(COMPONENTS.to_vec());
    };
    let names: Vec<&str> = named.split(',').map(str::trim).collect();
    if let Some(unknown) = names.iter().find(|name| !COMPONENTS.contains(name)) {
        return Err(Error::new(
            Kind::Validation,
            format!(
                "An export consists of {}; \"{unknown}\" is none of these.",
                COMPONENTS.join(", ")
            ),
        ));
    }
    let is_named = |component: &&&str| names.contains(component);
    Ok(COMPONENTS.iter().filter(is_named).copied().collect())
}

/// The archive that is being written.
struct Archive<'a>(ZipWriter<BufWriter<&'a File>>);

impl Archive<'_> {
    /// Adds the body of a reply as a file.
    fn add(&mut self, name: &str, reply: Reply) -> Result<()> {
        match reply.body {
            ReplyBody::File(_, file, _) => self.add_file(name, file),
            ReplyBody::Other(_, bytes) => self.copy(name, Cursor::new(bytes)),
            ReplyBody::Failure(error) => Err(error),
            ReplyBody::Empty | ReplyBody::Json(_) => Ok(()),
        }
    }

    fn add_file(&mut self, name: &str, mut file: File) -> Result<()> {
        file.rewind().map_err(Error::internal)?;
        self.copy(name, file)
    }

    fn copy(&mut self, name: &str, mut content: impl Read) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(0o644);
        self.0.start_file(name, options).map_err(Error::internal)?;
        io::copy(&mut content, &mut self.0).map_err(Error::internal)?;
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let mut out = self.0.finish().map_err(Error::internal)?;
        out.flush().map_err(Error::internal)
    }
}
