//! Responses that may be too large for memory: lists of documents. A response of more than a few MiB is written to a
//! temporary file and sent from there. Memory for work on each document is reserved from the budget that bodies share.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use http::HeaderValue;

use super::{Request, reply::ReplyBody};
use crate::{
    atomic_file,
    body_memory::{BodyMemory, HeldMemory},
    error::{Error, Kind, Result},
};

/// Longest part of a reply held in memory while it is written, in bytes.
const IN_MEMORY_BYTES: usize = 4 << 20;

/// Documents smaller than this number of bytes are not accounted for.
const UNCOUNTED_BYTES: usize = 64 << 10;

/// Memory for writing a document, as a multiple of its size: the document is read, its URLs are made
/// absolute, and it is serialised as JSON.
const WORK_GROWTH: usize = 4;

/// A JSON reply that is being written.
pub struct LongReply<'a> {
    /// The folder of the temporary file; `None` if the whole reply stays in memory.
    folder: Option<&'a Path>,
    /// The reservation; `None` if no server shares a memory budget.
    memory: Option<HeldMemory>,
    /// True if the reply may fail because other requests use the memory.
    may_be_refused: bool,
    file: Option<File>,
}

impl<'a> LongReply<'a> {
    /// Returns a writer for a document that follows from a change but is not a reply, such as a webhook
    /// payload. The whole document stays in memory.
    pub fn in_memory(memory: &Arc<BodyMemory>) -> Self {
        Self {
            folder: None,
            memory: Some(memory.hold()),
            may_be_refused: false,
            file: None,
        }
    }

    /// Returns the reply to a request that only reads.
    pub fn to(request: &'a Request) -> Self {
        Self {
            may_be_refused: true,
            ..Self::to_change(request)
        }
    }

    /// Returns the reply to a request that has changed something. It never fails for lack of memory:
    /// the budget is overdrawn, and later requests are refused instead.
    pub fn to_change(request: &'a Request) -> Self {
        Self {
            folder: Some(&request.options().files.data),
            memory: request.api.body_memory.get().map(BodyMemory::hold),
            may_be_refused: false,
            file: None,
        }
    }

    /// Reserves the memory for writing a document of `document_bytes`. Only the longest document
    /// counts, because documents are written one after the other.
    ///
    /// # Errors
    ///
    /// `Maintenance` if other requests use too much of the memory.
    pub fn reserve_for(&mut self, document_bytes: usize) -> Result<()> {
        let Some(memory) = &mut self.memory else {
            return Ok(());
        };
        let bytes = WORK_GROWTH * document_bytes;
        if document_bytes < UNCOUNTED_BYTES {
            Ok(())
        } else if self.may_be_refused {
            // Capped at the whole budget, so that a document longer than the budget can still be
            // read.
            let taken = memory.take_up_to(bytes);
            taken.map_err(|busy| Error::new(Kind::Maintenance, busy.to_string()))
        } else {
            memory.overdraw_up_to(bytes);
            Ok(())
        }
    }

    /// Moves the bytes written so far to disk, if they exceed the in-memory limit.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub fn spill_to_disk(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        if let Some(folder) = self.folder.filter(|_| bytes.len() >= IN_MEMORY_BYTES) {
            self.write(folder, bytes).map_err(Error::internal)?;
            // `clear` would retain the capacity, so the vector is replaced.
            *bytes = Vec::new();
        }
        Ok(())
    }

    /// Returns the whole reply, which ends with `bytes`.
    ///
    /// # Errors
    ///
    /// If the disk is full.
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
            None => atomic_file::unnamed(folder)?,
        };
        file.write_all(bytes)?;
        self.file = Some(file);
        Ok(())
    }
}
