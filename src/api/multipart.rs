//! Bodies of several parts (RFC 7578): files, and texts beside them.
//!
//! The body is complete when it gets here, so nothing waits: the parser, which could, is asked until it is done. A file
//! goes on to wherever it is wanted piece by piece.

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

/// How much of the body the parser is given at once, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// Most parts of one body.
const PARTS_MAX: usize = 20;

/// Longest text in a part, in bytes.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// What a body of several parts holds, where one file is wanted.
#[derive(Debug, Default)]
pub struct Form {
    /// The file, if there is one.
    pub file: Option<FileHead>,
    texts: Texts,
}

/// The texts of a body of several parts.
#[derive(Debug, Default)]
pub struct Texts(Vec<(String, String)>);

/// A part that may hold a file.
pub struct FilePart<'a> {
    field: &'a str,
    out: &'a mut dyn Write,
    /// What was said of the file that came in it.
    pub head: Option<FileHead>,
}

impl<'a> FilePart<'a> {
    /// The part `field`. The content of its file goes to `out`.
    pub fn new(field: &'a str, out: &'a mut dyn Write) -> Self {
        Self {
            field,
            out,
            head: None,
        }
    }
}

/// What is said of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileHead {
    /// Its name, as the client calls it. It may hold anything.
    pub name: String,
    /// Its kind, as the client calls it, without parameters: `image/png`.
    pub kind: String,
    /// Its length, in bytes.
    pub bytes: u64,
}

impl Form {
    /// The text in the part `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name)
    }

    /// The names and the texts of all parts that are none of files, in their order.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.texts.0.iter();
        texts.map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

impl Texts {
    /// The text in the part `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, text)| text.as_str())
    }
}

/// Whether a request says that its body has several parts.
pub fn is_declared(head: &RequestHead) -> bool {
    boundary(head).is_some()
}

fn boundary(head: &RequestHead) -> Option<String> {
    let kind = head.headers.get(header::CONTENT_TYPE)?;
    multer::parse_boundary(kind.to_str().ok()?).ok()
}

/// Reads the parts of a body. The content of the file in the part `field` goes to `out`.
///
/// A body of another kind has no parts, and no file.
///
/// # Errors
///
/// `BadRequest` when there is a file in another part or a second one (`LIMIT_UNEXPECTED_FILE`, Ghost 6.65, recorded), when
/// there are more than 20 parts, a text is longer than 64 KiB, or the body cannot be read; what `out` says.
pub fn read(head: &RequestHead, body: &Bytes, field: &str, out: &mut impl Write) -> Result<Form> {
    let mut files = [FilePart::new(field, out)];
    let texts = read_files(head, body, &mut files)?;
    let [file] = files;
    Ok(Form {
        file: file.head,
        texts,
    })
}

/// Reads the parts of a body in which several files may come, each in a part of its own.
///
/// # Errors
///
/// As [`read`].
pub fn read_files(head: &RequestHead, body: &Bytes, files: &mut [FilePart]) -> Result<Texts> {
    let mut texts = Texts::default();
    let Some(boundary) = boundary(head) else {
        return Ok(texts);
    };
    let mut parts = Multipart::new(Pieces(body.clone()), boundary);
    for number in 0.. {
        let Some(part) = at_once(|context| parts.poll_next_field(context))?.map_err(unreadable)?
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

fn read_part(part: Field, files: &mut [FilePart], texts: &mut Texts) -> Result<()> {
    let name = part.name().unwrap_or_default().to_owned();
    let Some(file_name) = part.file_name().map(str::to_owned) else {
        let mut text = Vec::new();
        each_piece(part, |piece| {
            text.extend_from_slice(piece);
            match text.len() > TEXT_BYTES_MAX {
                true => Err(broken(format!(
                    "The text in the part \"{name}\" is longer than {TEXT_BYTES_MAX} bytes."
                ))),
                false => Ok(()),
            }
        })?;
        let text = String::from_utf8_lossy(&text).into_owned();
        texts.0.push((name, text));
        return Ok(());
    };
    let wanted = files.iter().position(|file| file.field == name);
    let Some(file) = wanted
        .map(|place| &mut files[place])
        .filter(|file| file.head.is_none())
    else {
        return Err(unexpected(&name, files));
    };
    let kind = part.content_type();
    let kind = kind.map_or_else(String::new, |kind| kind.essence_str().to_owned());
    let mut bytes = 0;
    each_piece(part, |piece| {
        bytes += piece.len() as u64;
        file.out.write_all(piece).map_err(Error::internal)
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
    .context(format!("There is another in the part \"{name}\"."))
    .code("LIMIT_UNEXPECTED_FILE")
}

fn each_piece(part: Field, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut part = pin!(part);
    while let Some(piece) = at_once(|context| part.as_mut().poll_next(context))? {
        take(&piece.map_err(unreadable)?)?;
    }
    Ok(())
}

/// What comes of a question that is answered without waiting.
fn at_once<T>(mut ask: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Result<T> {
    match ask(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Ok(answer),
        // All of the body is there. Whoever waits for more of it has not seen its end.
        Poll::Pending => Err(broken("It breaks off.".to_owned())),
    }
}

fn unreadable(error: multer::Error) -> Error {
    broken(format!("{error}."))
}

fn broken(why: String) -> Error {
    Error::new(Kind::BadRequest, "The parts of the body cannot be read.").context(why)
}

/// A body in pieces.
struct Pieces(Bytes);

impl Stream for Pieces {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let length = self.0.len().min(PIECE_BYTES);
        let piece = self.0.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method, uri::PathAndQuery};

    use super::*;

    const LOOPBACK: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn read_body(kind: &str, body: &str) -> Result<(Form, String)> {
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

    fn read_parts(parts: &[&str]) -> Result<(Form, String)> {
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
    fn a_file_and_texts_are_read() {
        let content = "x".repeat(3 * PIECE_BYTES);
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
    fn a_body_of_another_kind_has_no_file() {
        let (form, read) = read_body("application/json", "{}").unwrap();
        assert!(form.file.is_none() && read.is_empty());
    }

    #[test]
    fn files_elsewhere_and_second_files_are_refused() {
        let file = "name=\"file\"; filename=\"a\"\r\n\r\na";
        let other = "name=\"upload\"; filename=\"a\"\r\n\r\na";
        for parts in [&[other][..], &[file, file], &[file, other]] {
            let error = read_parts(parts).unwrap_err();
            assert_eq!(error.code_name(), Some("LIMIT_UNEXPECTED_FILE"));
        }
    }

    #[test]
    fn several_files_go_each_to_its_own_place() {
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
    fn what_breaks_off_or_is_too_much_is_refused() {
        let broken_off = read_body(
            "multipart/form-data; boundary=edge",
            "--edge\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc",
        );
        assert_eq!(broken_off.unwrap_err().kind(), Kind::BadRequest);
        let many = vec!["name=\"a\"\r\n\r\na"; PARTS_MAX + 1];
        assert_eq!(read_parts(&many).unwrap_err().kind(), Kind::BadRequest);
        assert!(read_parts(&many[1..]).is_ok());
        let long = format!("name=\"a\"\r\n\r\n{}", "a".repeat(TEXT_BYTES_MAX + 1));
        assert_eq!(read_parts(&[&long]).unwrap_err().kind(), Kind::BadRequest);
    }
}
