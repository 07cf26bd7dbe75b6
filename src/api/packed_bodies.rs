//! Bodies of JSON that clients have packed (RFC 9110, section 8.4; Ghost 6.65, observed).
//!
//! What such a body holds may be as long as a body may be that comes as it is: a small body that holds a great deal is
//! refused once it has been opened that far, and no further.

use std::io::Read;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http::header;

use super::{admin, request::RequestHead};
use crate::{
    body_memory::HeldMemory,
    error::{Error, Kind, Result},
};

/// How much is opened at once, in bytes.
const PIECE_BYTES: u64 = 64 << 10;

/// A body as its reader wants it: opened if it is JSON and packed, and otherwise as it came. `bytes_max` tells how long it may
/// be; what it holds takes its memory from `held`.
///
/// # Errors
///
/// `UnsupportedMediaType` for a way of packing that is not known, `RequestEntityTooLarge` when it holds too much,
/// `UnreadableBody` when it is not packed as it says, `Maintenance` when there is too little memory.
pub fn opened(
    head: &RequestHead,
    body: &Bytes,
    bytes_max: impl FnOnce() -> u64,
    held: Option<&mut HeldMemory>,
) -> Result<Bytes> {
    let Some(packing) = head.headers.get(header::CONTENT_ENCODING) else {
        return Ok(body.clone());
    };
    if body.is_empty() || !admin::is_json(head) {
        return Ok(body.clone());
    }
    let packing = packing.to_str().unwrap_or_default().trim();
    let packed: &[u8] = body;
    match packing.to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(body.clone()),
        "gzip" => read(MultiGzDecoder::new(packed), bytes_max(), held),
        "deflate" => read(ZlibDecoder::new(packed), bytes_max(), held),
        _ => Err(Error::new(
            Kind::UnsupportedMediaType,
            "The content encoding is not supported; use gzip or deflate.",
        )
        .context(format!("The body is sent with the encoding {packing}."))),
    }
}

fn read(mut packed: impl Read, bytes_max: u64, mut held: Option<&mut HeldMemory>) -> Result<Bytes> {
    let mut opened = Vec::new();
    loop {
        let before = opened.len();
        let piece = packed.by_ref().take(PIECE_BYTES).read_to_end(&mut opened);
        let piece = piece.map_err(|error| {
            Error::new(Kind::UnreadableBody, "The body cannot be decompressed.")
                .context(format!("{error}."))
        })?;
        if opened.len() as u64 > bytes_max {
            return Err(Error::new(
                Kind::RequestEntityTooLarge,
                format!("The body is larger than {bytes_max} bytes."),
            ));
        }
        if opened.len() == before {
            return Ok(Bytes::from(opened));
        }
        if let Some(held) = &mut held {
            held.take(piece)
                .map_err(|refusal| Error::new(Kind::Maintenance, refusal.to_string()))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, net::Ipv4Addr};

    use flate2::{
        Compression,
        write::{GzEncoder, ZlibEncoder},
    };
    use http::{HeaderMap, Method, uri::PathAndQuery};

    use super::*;

    fn head(kind: &'static str, packing: &'static str) -> RequestHead {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        headers.insert(header::CONTENT_ENCODING, packing.parse().unwrap());
        RequestHead {
            method: Method::POST,
            target: PathAndQuery::from_static("/"),
            headers,
            peer: Ipv4Addr::LOCALHOST.into(),
        }
    }

    fn gzip(text: &[u8]) -> Bytes {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap().into()
    }

    fn of_json(packing: &'static str, body: &Bytes) -> Result<Bytes> {
        opened(&head("application/json", packing), body, || 1000, None)
    }

    #[test]
    fn json_that_is_packed_is_opened() {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
        packer.write_all(b"{}").unwrap();
        let deflated = packer.finish().unwrap().into();
        assert_eq!(of_json("gzip", &gzip(b"{}")).unwrap(), "{}");
        assert_eq!(of_json("GZIP", &gzip(b"{}")).unwrap(), "{}");
        assert_eq!(of_json("deflate", &deflated).unwrap(), "{}");
        assert_eq!(of_json("identity", &"{}".into()).unwrap(), "{}");
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        let packed = gzip(b"x");
        let form = head("multipart/form-data; boundary=x", "gzip");
        assert_eq!(opened(&form, &packed, || 0, None).unwrap(), packed);
        assert_eq!(of_json("gzip", &Bytes::new()).unwrap(), "");
    }

    #[test]
    fn what_holds_too_much_is_opened_no_further() {
        assert!(of_json("gzip", &gzip(&[b' '; 1000])).is_ok());
        let bomb = gzip(&vec![b' '; 10 << 20]);
        let refused = of_json("gzip", &bomb).unwrap_err();
        assert_eq!(refused.kind(), Kind::RequestEntityTooLarge);
    }

    #[test]
    fn what_is_packed_otherwise_is_refused() {
        let whole = gzip(b"{}");
        let broken = whole.slice(..whole.len() - 4);
        for (packing, body, kind) in [
            ("gzip", &broken, Kind::UnreadableBody),
            ("gzip", &"{}".into(), Kind::UnreadableBody),
            ("deflate", &whole, Kind::UnreadableBody),
            ("br", &whole, Kind::UnsupportedMediaType),
            ("gzip, gzip", &whole, Kind::UnsupportedMediaType),
        ] {
            assert_eq!(
                of_json(packing, body).unwrap_err().kind(),
                kind,
                "{packing}"
            );
        }
    }
}
