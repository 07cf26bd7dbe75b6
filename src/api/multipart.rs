//! Multipart bodies (RFC 7578): files and text fields.
//!
//! The body is already complete, so the asynchronous parser is polled without waiting. The content of a
//! file is written to the output chunk by chunk.

use std::{
    io::Write,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use futures_core::Stream;
use http::header;
use multer::{Field, Multipart};

use super::request::RequestHead;
use crate::error::{Error, Kind, Result};

/// Length of the chunks that are passed to the parser, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Most parts in one body.
const PARTS_MAX: usize = 20;

/// Longest text field, in bytes.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// The contents of a multipart body with one file.
#[derive(Debug, Default)]
pub struct MultipartForm {
    /// The file, if there is one.
    pub file: Option<FileHead>,
    texts: FormTexts,
}

/// The text fields of a multipart body.
#[derive(Debug, Default)]
pub struct FormTexts(Vec<(String, String)>);

/// A part that may contain a file.
pub struct FilePart<'a> {
    field: &'a str,
    out: &'a mut dyn Write,
    /// The metadata of the received file.
    pub head: Option<FileHead>,
}

impl<'a> FilePart<'a> {
    /// Returns the part `field`. The content of its file is written to `out`.
    pub fn new(field: &'a str, out: &'a mut dyn Write) -> Self {
        Self {
            field,
            out,
            head: None,
        }
    }
}

/// The metadata of an uploaded file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileHead {
    /// The name as sent by the client, which is not validated.
    pub name: String,
    /// The media type as sent by the client, without parameters, such as `image/png`.
    pub kind: String,
    /// The length, in bytes.
    pub bytes: u64,
}

impl MultipartForm {
    /// Returns the text of the part `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name)
    }

    /// Returns the names and texts of all parts without a file, in the order received.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.texts.0.iter();
        texts.map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

impl FormTexts {
    /// Returns the text of the part `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, text)| text.as_str())
    }
}

/// Returns whether a request declares a multipart body.
pub fn is_declared(head: &RequestHead) -> bool {
    boundary(head).is_some()
}

fn boundary(head: &RequestHead) -> Option<String> {
    let kind = head.headers.get(header::CONTENT_TYPE)?;
    multer::parse_boundary(kind.to_str().ok()?).ok()
}

/// Reads the parts of a body. The content of the file in the part `field` is written to `out`.
///
/// A body that is not multipart has no parts.
///
/// # Errors
///
/// `BadRequest` if there is a file in another part or a second file (`LIMIT_UNEXPECTED_FILE`, Ghost
/// 6.65, recorded), if there are more than 20 parts, a text is longer than 64 KiB, or the body cannot
/// be parsed. `Internal` if writing to `out` fails.
pub fn read(
    head: &RequestHead,
    body: &Bytes,
    field: &str,
    out: &mut impl Write,
) -> Result<MultipartForm> {
    let mut files = [FilePart::new(field, out)];
    let texts = read_files(head, body, &mut files)?;
    let [file] = files;
    Ok(MultipartForm {
        file: file.head,
        texts,
    })
}

/// Reads the parts of a body with several files, each in its own part.
///
/// # Errors
///
/// As [`read`].
pub fn read_files(head: &RequestHead, body: &Bytes, files: &mut [FilePart]) -> Result<FormTexts> {
    let mut texts = FormTexts::default();
    let Some(boundary) = boundary(head) else {
        return Ok(texts);
    };
    let mut parts = Multipart::new(Chunks(body.clone()), boundary);
    for number in 0.. {
        let Some(part) =
            poll_once(|context| parts.poll_next_field(context))?.map_err(unreadable)?
        else {
            break;
        };
        if number == PARTS_MAX {
            return Err(broken(format!("It has more than {PARTS_MAX} parts.")));
        }
        read_part(part, files, &mut texts)?;
    }
    Ok(texts)
}

fn read_part(part: Field, files: &mut [FilePart], texts: &mut FormTexts) -> Result<()> {
    let name = part.name().unwrap_or_default().to_owned();
    let Some(file_name) = part.file_name().map(str::to_owned) else {
        let mut text = Vec::new();
        each_chunk(part, |chunk| {
            text.extend_from_slice(chunk);
            if text.len() > TEXT_BYTES_MAX {
                Err(broken(format!(
                    "The text in the part \"{name}\" is longer than {TEXT_BYTES_MAX} bytes."
                )))
            } else {
                Ok(())
            }
        })?;
        let text = String::from_utf8_lossy(&text).into_owned();
        texts.0.push((name, text));
        return Ok(());
    };
    let position = files.iter().position(|file| file.field == name);
    let Some(file) = position
        .map(|index| &mut files[index])
        // A second file in the same part is rejected like a file in another part.
        .filter(|file| file.head.is_none())
    else {
        return Err(unexpected(&name, files));
    };
    let kind = part.content_type();
    let kind = kind.map_or_else(String::new, |kind| kind.essence_str().to_owned());
    let mut bytes = 0;
    each_chunk(part, |chunk| {
        bytes += chunk.len() as u64;
        file.out.write_all(chunk).map_err(Error::internal)
    })?;
    file.head = Some(FileHead {
        name: file_name,
        kind,
        bytes,
    });
    Ok(())
}

fn unexpected(name: &str, files: &[FilePart]) -> Error {
    let fields: Vec<String> = files
        .iter()
        .map(|file| format!("\"{}\"", file.field))
        .collect();
    Error::new(
        Kind::BadRequest,
        format!(
            "Exactly one file is accepted, in the part {}.",
            fields.join(" or ")
        ),
    )
    .context(format!("There is another file in the part \"{name}\"."))
    .code("LIMIT_UNEXPECTED_FILE")
}

fn each_chunk(part: Field, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut part = pin!(part);
    while let Some(chunk) = poll_once(|context| part.as_mut().poll_next(context))? {
        take(&chunk.map_err(unreadable)?)?;
    }
    Ok(())
}

/// Polls once and returns the result, or an error if it is pending.
fn poll_once<T>(mut ask: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Result<T> {
    match ask(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ready) => Ok(ready),
        // The parser already has the whole body; if it waits for more, the body has no end marker.
        Poll::Pending => Err(broken("It is incomplete.".to_owned())),
    }
}

fn unreadable(error: multer::Error) -> Error {
    broken(format!("{error}."))
}

fn broken(why: String) -> Error {
    Error::new(Kind::BadRequest, "The parts of the body cannot be read.").context(why)
}

/// A body as a stream of chunks.
struct Chunks(Bytes);

impl Stream for Chunks {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let length = self.0.len().min(CHUNK_BYTES);
        // The chunk shares the memory of the body.
        let chunk = self.0.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(chunk)))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method, uri::PathAndQuery};

    use super::*;

    const LOOPBACK: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn read_body(kind: &str, body: &str) -> Result<(MultipartForm, String)> {
        let head = RequestHead {
            method: Method::POST,
            target: PathAndQuery::from_static("/"),
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]),
            peer: LOOPBACK,
        };
        let mut out = Vec::new();
        let body = Bytes::from(body.to_owned());
        let form = read(&head, &body, "file", &mut out)?;
        Ok((form, String::from_utf8(out).unwrap()))
    }

    fn read_parts(parts: &[&str]) -> Result<(MultipartForm, String)> {
        let mut body = String::new();
        for part in parts {
            body += &format!("--edge\r\ncontent-disposition: form-data; {part}\r\n");
        }
        read_body(
            "multipart/form-data; boundary=edge",
            &(body + "--edge--\r\n"),
        )
    }

    #[test]
    fn file_and_texts_are_read() {
        let content = "x".repeat(3 * CHUNK_BYTES);
        let file = format!(
            "name=\"file\"; filename=\"a b.png\"\r\ncontent-type: image/png\r\n\r\n{content}"
        );
        let (form, read) = read_parts(&["name=\"ref\"\r\n\r\nmine", &file]).unwrap();
        assert_eq!(form.text("ref"), Some("mine"));
        assert_eq!(form.text("purpose"), None);
        assert_eq!(read, content);
        let expected = FileHead {
            name: "a b.png".to_owned(),
            kind: "image/png".to_owned(),
            bytes: content.len() as u64,
        };
        assert_eq!(form.file, Some(expected));
    }

    #[test]
    fn body_of_another_kind_has_no_file() {
        let (form, read) = read_body("application/json", "{}").unwrap();
        assert!(form.file.is_none() && read.is_empty());
    }

    #[test]
    fn files_in_other_parts_and_second_files_are_refused() {
        let file = "name=\"file\"; filename=\"a\"\r\n\r\na";
        let other = "name=\"upload\"; filename=\"a\"\r\n\r\na";
        for parts in [&[other][..], &[file, file], &[file, other]] {
            let error = read_parts(parts).unwrap_err();
            assert_eq!(error.code_name(), Some("LIMIT_UNEXPECTED_FILE"));
        }
    }

    #[test]
    fn several_files_are_read_by_part() {
        let body = "--edge\r\ncontent-disposition: form-data; name=\"thumbnail\"; filename=\"a.png\"\r\n\r\nsmall\r\n\
             --edge\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.mp4\"\r\n\r\nlarge\r\n--edge--\r\n";
        let head = RequestHead {
            method: Method::POST,
            target: PathAndQuery::from_static("/"),
            headers: HeaderMap::from_iter([(
                header::CONTENT_TYPE,
                "multipart/form-data; boundary=edge".parse().unwrap(),
            )]),
            peer: LOOPBACK,
        };
        let (mut large, mut small) = (Vec::new(), Vec::new());
        let mut files = [
            FilePart::new("file", &mut large),
            FilePart::new("thumbnail", &mut small),
        ];
        read_files(&head, &Bytes::from_static(body.as_bytes()), &mut files).unwrap();
        let names = files.map(|file| file.head.unwrap().name);
        assert_eq!(names, ["a.mp4", "a.png"]);
        assert_eq!((&large[..], &small[..]), (&b"large"[..], &b"small"[..]));
    }

    #[test]
    fn incomplete_and_oversized_bodies_are_refused() {
        let incomplete = read_body(
            "multipart/form-data; boundary=edge",
            "--edge\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc",
        );
        assert_eq!(incomplete.unwrap_err().kind(), Kind::BadRequest);
        let many = vec!["name=\"a\"\r\n\r\na"; PARTS_MAX + 1];
        assert_eq!(read_parts(&many).unwrap_err().kind(), Kind::BadRequest);
        assert!(read_parts(&many[1..]).is_ok());
        let long = format!("name=\"a\"\r\n\r\n{}", "a".repeat(TEXT_BYTES_MAX + 1));
        assert_eq!(read_parts(&[&long]).unwrap_err().kind(), Kind::BadRequest);
    }
}
