//! Forms with files (`multipart/form-data`, RFC 7578), as browsers send them.

/// The boundary between parts; no part may contain it.
const BOUNDARY: &str = "----galley-form-7MA4YWxkTrZu0gW";

/// A multipart form.
#[derive(Default)]
pub struct Form {
    body: Vec<u8>,
}

impl Form {
    /// Adds a field.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.begin(&format!("name=\"{name}\""), None);
        self.end(value.as_bytes());
        self
    }

    /// Adds a file.
    pub fn file(mut self, name: &str, filename: &str, kind: &str, bytes: &[u8]) -> Self {
        let disposition = format!("name=\"{name}\"; filename=\"{filename}\"");
        self.begin(&disposition, Some(kind));
        self.end(bytes);
        self
    }

    fn begin(&mut self, disposition: &str, kind: Option<&str>) {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n");
        self.body.extend_from_slice(head.as_bytes());
        if let Some(kind) = kind {
            self.body
                .extend_from_slice(format!("Content-Type: {kind}\r\n").as_bytes());
        }
        self.body.extend_from_slice(b"\r\n");
    }

    fn end(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
    }

    /// Returns the content type and the body.
    pub fn finish(mut self) -> (String, Vec<u8>) {
        self.body
            .extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        (
            format!("multipart/form-data; boundary={BOUNDARY}"),
            self.body,
        )
    }
}
