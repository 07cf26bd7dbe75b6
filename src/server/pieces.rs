//! A part of a file as a sequence of pieces in memory.
//!
//! Reading happens on the runtime's blocking threads, one piece at a time and only when it is asked for.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::task::{JoinHandle, spawn_blocking};

/// Length of a piece, in bytes.
const PIECE_BYTES: u64 = 64 * 1024;

/// The pieces of one file that are still to come.
pub(super) struct Pieces {
    range: Range<u64>,
    source: Source,
}

enum Source {
    Resting(File),
    Reading(JoinHandle<io::Result<(File, Bytes)>>),
    /// An error was reported.
    Gone,
}

impl Pieces {
    pub(super) fn new(file: File, range: Range<u64>) -> Self {
        Pieces {
            range,
            source: Source::Resting(file),
        }
    }

    /// Bytes still to come.
    pub(super) fn remaining(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The next piece, which is never empty. After an error, and at the end, there is none to ask for.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        let mut reading = match std::mem::replace(&mut self.source, Source::Gone) {
            Source::Resting(file) => {
                let start = self.range.start;
                let length = self.remaining().min(PIECE_BYTES);
                spawn_blocking(move || read_piece(file, start, length))
            }
            Source::Reading(reading) => reading,
            Source::Gone => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        };
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.source = Source::Reading(reading);
            return Poll::Pending;
        };
        let (file, piece) = read.map_err(io::Error::other)??;
        self.range.start += piece.len() as u64;
        self.source = Source::Resting(file);
        Poll::Ready(Ok(piece))
    }
}

fn read_piece(mut file: File, start: u64, length: u64) -> io::Result<(File, Bytes)> {
    let mut piece = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut piece)?;
    Ok((file, piece.into()))
}
