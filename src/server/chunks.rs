//! A part of a file as a sequence of chunks in memory.
//!
//! Chunks are read on the runtime's blocking threads, one at a time and only on request.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::task::{JoinHandle, spawn_blocking};

/// Length of a chunk, in bytes.
const PIECE_BYTES: u64 = 64 * 1024;

/// The remaining chunks of one file.
pub(super) struct FileChunks {
    range: Range<u64>,
    source: ChunkSource,
}

enum ChunkSource {
    Idle(File),
    Reading(JoinHandle<io::Result<(File, Bytes)>>),
    /// An error has been reported.
    Failed,
}

impl FileChunks {
    pub(super) fn new(file: File, range: Range<u64>) -> Self {
        FileChunks {
            range,
            source: ChunkSource::Idle(file),
        }
    }

    /// Returns the number of remaining bytes.
    pub(super) fn remaining(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns the next chunk, which is never empty. Must not be called after an error or at the
    /// end.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        // `Failed` until the read has succeeded, so that an early return below does not return a
        // chunk twice.
        let mut reading = match std::mem::replace(&mut self.source, ChunkSource::Failed) {
            ChunkSource::Idle(file) => {
                let start = self.range.start;
                let length = self.remaining().min(PIECE_BYTES);
                // The file moves into the job and returns with the chunk, so it is never used by
                // two threads.
                spawn_blocking(move || read_piece(file, start, length))
            }
            ChunkSource::Reading(reading) => reading,
            ChunkSource::Failed => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        };
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.source = ChunkSource::Reading(reading);
            return Poll::Pending;
        };
        let (file, piece) = read.map_err(io::Error::other)??;
        self.range.start += piece.len() as u64;
        self.source = ChunkSource::Idle(file);
        Poll::Ready(Ok(piece))
    }
}

fn read_piece(mut file: File, start: u64, length: u64) -> io::Result<(File, Bytes)> {
    let mut piece = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    // If the file has become shorter, the response ends with an error, because its length has been
    // announced.
    file.read_exact(&mut piece)?;
    Ok((file, piece.into()))
}
