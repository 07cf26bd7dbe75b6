//! Replies that may be longer than memory should be: lists of documents. What is written beyond some MiB goes to a file
//! without a name, from which it is sent; and work on each document takes from the memory that bodies share.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use http::HeaderValue;

use super::{Request, reply::ReplyBody};
use crate::{
    body_memory::{BodyMemory, HeldMemory},
    error::{Error, Kind, Result},
    nameless_file,
};

/// How much of a reply is kept in memory while it is written, in bytes.
const IN_MEMORY_BYTES: usize = 4 << 20;

/// Documents of fewer bytes are written without asking for memory.
const LITTLE_BYTES: usize = 64 << 10;

/// What writing a document takes, in bytes for each of its own: it is read, its URLs are made absolute, and it becomes JSON.
const WORK_GROWTH: usize = 4;

/// A reply of JSON that is being written.
pub struct LongReply<'a> {
    /// `None` where all of it stays in memory.
    folder: Option<&'a Path>,
    /// `None` where there is no edge that shares memory.
    memory: Option<HeldMemory>,
    /// Whether it is given up where others have the memory that it takes.
    may_be_refused: bool,
    file: Option<File>,
}

impl<'a> LongReply<'a> {
    /// What is no reply but is written as one, and follows from a change.
    pub fn in_memory(memory: &Arc<BodyMemory>) -> Self {
        Self {
            folder: None,
            memory: Some(memory.hold()),
            may_be_refused: false,
            file: None,
        }
    }

    /// The reply to a request that only reads.
    pub fn to(request: &'a Request) -> Self {
        Self {
            may_be_refused: true,
            ..Self::to_change(request)
        }
    }

    /// The reply to a request that has changed something: it is not refused for want of memory, but others are then.
    pub fn to_change(request: &'a Request) -> Self {
        Self {
            folder: Some(&request.options().files.data),
            memory: request.api.body_memory.get().map(BodyMemory::hold),
            may_be_refused: false,
            file: None,
        }
    }

    /// Takes what writing a document of so many bytes needs. The longest counts, as they are written one after the other.
    ///
    /// # Errors
    ///
    /// `Maintenance` when other requests have too much of the memory.
    pub fn work_on(&mut self, document_bytes: usize) -> Result<()> {
        let Some(memory) = &mut self.memory else {
            return Ok(());
        };
        let bytes = WORK_GROWTH * document_bytes;
        if document_bytes < LITTLE_BYTES {
            Ok(())
        } else if self.may_be_refused {
            let taken = memory.take_up_to(bytes);
            taken.map_err(|busy| Error::new(Kind::Maintenance, busy.to_string()))
        } else {
            memory.overdraw_up_to(bytes);
            Ok(())
        }
    }

    /// Moves what is written so far to the disk, if it is long.
    ///
    /// # Errors
    ///
    /// When the disk is full.
    pub fn relieve(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        if let Some(folder) = self.folder.filter(|_| bytes.len() >= IN_MEMORY_BYTES) {
            self.write(folder, bytes).map_err(Error::internal)?;
            *bytes = Vec::new();
        }
        Ok(())
    }

    /// The whole of it, of which `bytes` is the end.
    ///
    /// # Errors
    ///
    /// When the disk is full.
    pub fn finish(mut self, bytes: Vec<u8>) -> Result<ReplyBody> {
        let Some(mut file) = self.file.take() else {
            return Ok(ReplyBody::Json(bytes));
        };
        file.write_all(&bytes).map_err(Error::internal)?;
        let length = file.metadata().map_err(Error::internal)?.len();
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        Ok(ReplyBody::File(json, file, length))
    }

    fn write(&mut self, folder: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => nameless_file::create(folder)?,
        };
        file.write_all(bytes)?;
        self.file = Some(file);
        Ok(())
    }
}
