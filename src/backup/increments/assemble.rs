//! Assembles the objects of a moment into a whole backup, which is then verified and restored like
//! any other.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use super::{
    super::{BackupError, STORE, write::Archive},
    format::{Chunk, FileRecord, read_segment},
    history::Chain,
    location::Location,
    object_name::{MomentName, of_chunk},
    record_line,
};
use crate::{
    atomic_file,
    backup::error::{read_error, write_error},
    progress::Progress,
    store::redb::{RecordWriter, write_records},
};

/// Assembles the moment `name` into `out`, whose path is `path`, with a temporary file in its
/// folder.
///
/// # Errors
///
/// If an object is missing or damaged, a file cannot be written, or `progress` cancels.
pub fn assemble(
    location: &Location,
    name: &MomentName,
    (path, out): (&Path, &mut impl Write),
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    let chain = Chain::read(location, name)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut store = atomic_file::unnamed(folder).map_err(write_error(folder))?;
    let assembly = Assembly {
        location,
        chain: &chain,
        progress,
    };
    assembly.write_store(&store)?;
    store.seek(SeekFrom::Start(0)).map_err(read_error(folder))?;
    let bytes = store.metadata().map_err(read_error(folder))?.len();
    let files = chain.files();
    let total = files.values().map(|file| file.bytes).sum::<u64>() + bytes;
    let mut archive = Archive::new(out, path, (total, progress));
    archive.add((STORE, &folder.join(STORE)), bytes, &mut store)?;
    // Frees the disk space of the temporary file while the files are added.
    drop(store);
    for file in files.values() {
        let mut content = ChunkReader::new(location, &file.chunks);
        let added = archive.add((&file.path, path), file.bytes, &mut content);
        // Reports a damaged chunk as such, not as a file that cannot be read.
        if let Some(error) = content.error {
            return Err(error);
        }
        verify(location, file, &added?)?;
    }
    let info = chain.info();
    archive.finish(info.revision, info.created_at)?;
    Ok(())
}

fn verify(location: &Location, file: &FileRecord, sha256: &str) -> Result<(), BackupError> {
    if file.sha256 == sha256 {
        Ok(())
    } else {
        Err(location.error(&file.path, "its chunks are not its content"))
    }
}

struct Assembly<'a> {
    location: &'a Location,
    chain: &'a Chain,
    progress: &'a dyn Progress,
}

impl Assembly<'_> {
    /// Writes the store: the records of the state, then the changes of each segment.
    fn write_store(&self, file: &File) -> Result<(), BackupError> {
        let revision = self.chain.info().revision;
        write_records(file, revision, |writer| {
            let tables = self.chain.state.records.iter();
            let chunks = tables.flat_map(|table| &table.chunks);
            let total = chunks.clone().map(|chunk| chunk.bytes).sum();
            let mut done = 0;
            for chunk in chunks {
                let lines = read_chunk(self.location, chunk)?;
                self.write_lines(&of_chunk(&chunk.sha256), &lines, writer)?;
                done += chunk.bytes;
                if self.progress.step(done, total).is_break() {
                    return Err(BackupError::Cancelled);
                }
            }
            // In order, so that later changes replace earlier ones.
            for (name, _) in &self.chain.segments {
                let (_, lines) = read_segment(self.location, name)?;
                self.write_lines(&name.to_string(), &lines, writer)?;
                if self.progress.is_cancelled() {
                    return Err(BackupError::Cancelled);
                }
            }
            Ok(())
        })
    }

    fn write_lines(
        &self,
        name: &str,
        lines: &[u8],
        writer: &mut RecordWriter<'_>,
    ) -> Result<(), BackupError> {
        for line in lines.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            let change =
                record_line::parse(line).map_err(|what| self.location.error(name, what))?;
            match change.put {
                Some((revision, value)) => {
                    writer.put(change.table, &change.key, revision, &value)?;
                }
                None => writer.delete(change.table, &change.key)?,
            }
        }
        Ok(())
    }
}

/// Returns the verified content of a chunk.
pub fn read_chunk(location: &Location, chunk: &Chunk) -> Result<Vec<u8>, BackupError> {
    location.read(&of_chunk(&chunk.sha256), &chunk.sha256, chunk.bytes)
}

/// Reads the chunks of a file in order.
struct ChunkReader<'a> {
    location: &'a Location,
    chunks: std::slice::Iter<'a, Chunk>,
    content: Vec<u8>,
    start: usize,
    /// The reason why a chunk cannot be read.
    error: Option<BackupError>,
}

impl<'a> ChunkReader<'a> {
    fn new(location: &'a Location, chunks: &'a [Chunk]) -> Self {
        Self {
            location,
            chunks: chunks.iter(),
            content: Vec::new(),
            start: 0,
            error: None,
        }
    }
}

impl Read for ChunkReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.start == self.content.len() {
            let Some(chunk) = self.chunks.next() else {
                return Ok(0);
            };
            match read_chunk(self.location, chunk) {
                Ok(content) => (self.content, self.start) = (content, 0),
                Err(error) => {
                    let message = error.to_string();
                    // Stored here, because an `io::Error` cannot carry the name of the object to
                    // the caller.
                    self.error = Some(error);
                    return Err(io::Error::other(message));
                }
            }
        }
        let rest = &self.content[self.start..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.start += count;
        Ok(count)
    }
}
