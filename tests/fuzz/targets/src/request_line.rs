//! Properties of the beginning of a connection: any bytes get either complete HTTP responses or none, and never a
//! server error; the responses are the same when the bytes are repeated, split or pipelined; other clients are still
//! served.

use std::io::Write;

use super::http1::{Response, connect, good_request, replies, response_to, with_key};

/// Parts of requests whose responses are not checked: they have another form, or are only sent when something changes.
const HANDLED_ELSEWHERE: [&str; 2] = ["PRI * HTTP/2", "/changes/"];

/// Panics unless these properties hold for the bytes that a client writes. A blank line is appended to end the header
/// section.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let is_otherwise = HANDLED_ELSEWHERE.iter().any(|mark| text.contains(mark));
    let request = [&with_key(input)[..], b"\r\n\r\n"].concat();
    if is_otherwise {
        let mut stream = connect();
        let _ = stream.write_all(&request);
    } else if let Some(first) = response_to(&request) {
        assert!(is_expected(first.status), "{first:?}");
        if request.starts_with(b"GET ") {
            check_repetition(&request, &first);
        }
    }
    let other_client = response_to(&good_request("")).expect("others are served");
    assert_eq!(other_client.status, 200);
}

/// Checks that a repeated request gets the same response, however its bytes are split. The server may close the
/// connection once it has read enough; the response can then be lost.
fn check_repetition(request: &[u8], first: &Response) {
    let again = response_to(request);
    assert!(again.is_none_or(|again| again == *first));

    let (begin, end) = request.split_at(request.len() / 2);
    let in_pieces = replies(&[begin, end], &[request]);
    assert!(in_pieces.is_none_or(|replies| replies == [first.clone()]));

    let question = good_request("");
    let behind = [&question, request].concat();
    let behind_another = replies(&[&behind], &[&question, request]);
    assert!(behind_another.is_none_or(|replies| replies[1] == *first));
}

/// Whether a client may cause this status. The permitted 5xx statuses are those for unsupported methods and versions.
fn is_expected(status: u16) -> bool {
    matches!(status, 200..=499 | 501 | 505)
}
