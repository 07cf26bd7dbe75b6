//! Reads the new text of an edited file like any other content file.

use std::sync::Arc;

use crate::{
    content_files::{
        BodyFormat, ContentFile, ConvertedRecord, FileOutput, PostFile, conditions::Conditions,
        identity::identity, path_properties::FileSyntax, records::convert, symbol_table,
        symbol_table::Directory,
    },
    content_text::{BodyReader, Diagnostic, EditError, FileShape, Source},
    domain::post::{Body, Post},
    error::{Error, Result},
    render::markdown::BodyUrl,
    write_back::{refusals::cannot_store, stored_url::stored_url},
};

/// Reads the text of a content file, usually that of a post.
pub(super) struct FileReader {
    pub path: Box<str>,
    pub conditions: Conditions,
    pub directory: Arc<Directory>,
    /// The identity of the record in the last version of the file.
    pub known: Option<FileOutput>,
    /// Uploads that are copied into the folder with the edit.
    pub uploads: Vec<Box<str>>,
}

/// A record that was read from a text.
pub(super) struct ReadRecord {
    pub file: ContentFile,
    pub record: ConvertedRecord,
    /// Whether the body was expanded from templates of its generator.
    pub is_expanded: bool,
}

/// A post that was read from a text.
pub(super) struct ReadPost {
    pub file: PostFile,
    /// Whether the body was expanded from templates of its generator.
    pub is_expanded: bool,
    pub post: Post,
    pub body: Body,
}

impl FileReader {
    /// Returns the reader of the same file at another path.
    pub(super) fn at(&self, path: &str) -> Self {
        Self {
            path: path.into(),
            conditions: self.conditions.clone(),
            directory: Arc::clone(&self.directory),
            known: self.known.clone(),
            uploads: self.uploads.clone(),
        }
    }

    /// Reads a text of the post's file.
    ///
    /// # Errors
    ///
    /// `Validation` if the text is not a valid file of a post.
    pub(super) fn read(&self, text: &str) -> Result<ReadPost> {
        let ReadRecord {
            file,
            record,
            is_expanded,
        } = self.read_any(text)?;
        match (record, file) {
            (
                ConvertedRecord::Post(post, body),
                ContentFile::Post(file) | ContentFile::Page(file),
            ) => Ok(ReadPost {
                file: *file,
                is_expanded,
                post: *post,
                body,
            }),
            _ => Err(self.unusable(None)),
        }
    }

    pub(super) fn read_any(&self, text: &str) -> Result<ReadRecord> {
        let parsed = self.conditions.parse(&self.path, text.as_bytes());
        let problem = parsed.diagnostics.iter().find(|found| found.is_error());
        let (Some(content), Some(source), None) = (parsed.value, parsed.source, problem) else {
            return Err(self.unusable(problem));
        };
        let mut output = identity(&content);
        // The requested slug belongs to another file, so the record retains its own.
        if let Some(known) = &self.known
            && known.wanted.as_deref() == Some(&*output.slug)
        {
            output = output.with_slug(&known.slug);
        }
        // `source` contains the expanded text. If it differs from the written one, changed blocks
        // have no position in the file.
        let is_expanded = Source::decode(&self.path, text.as_bytes())
            .is_ok_and(|written| written.text() != source.text());
        let converted = convert(
            &content,
            &output,
            &source,
            &self.directory,
            &self.conditions,
        );
        Ok(ReadRecord {
            file: content,
            record: converted.record,
            is_expanded,
        })
    }

    pub(super) fn unusable(&self, problem: Option<&Diagnostic>) -> Error {
        let reason = problem.map_or_else(
            || "the file would no longer be of this kind".to_owned(),
            ToString::to_string,
        );
        cannot_store(&self.path, "this change").context(reason)
    }

    pub(super) fn shape(&self) -> FileShape<'static> {
        let properties = self.conditions.layout.properties_of(&self.path);
        match properties.map(|properties| properties.format) {
            Some(FileSyntax::Data(language)) => FileShape::data(language),
            _ => FileShape::DOCUMENT,
        }
    }

    /// Calls `work` with the reader of this file's body, whose format is `format`.
    pub(super) fn with_bodies<T>(
        &self,
        format: BodyFormat,
        work: impl FnOnce(FileShape<'_>, &BodyReader<'_>) -> T,
    ) -> T {
        let resolve = |url: BodyUrl<'_>| self.resolve(url.written);
        let uploads = self.uploads.iter().map(|upload| {
            let stored = stored_url(upload);
            (self.written_url(&stored), stored)
        });
        let urls: Vec<(String, String)> = uploads.collect();
        let bodies = BodyReader {
            format,
            dialect: self.conditions.layout.dialect_of(&self.path),
            resolve: &resolve,
            urls: &urls,
            expand: None,
        };
        work(self.shape(), &bodies)
    }

    pub(super) fn refused(&self, error: &EditError) -> Error {
        let what = error
            .key
            .as_ref()
            .map_or_else(|| "this change".to_owned(), |key| format!("`{key}`"));
        cannot_store(&self.path, &what).context(error.reason.clone())
    }

    /// Returns the stored form of a URL in the file; `None` if its target does not exist.
    pub(super) fn resolve(&self, written: &str) -> Option<String> {
        match self.directory.url_target(&self.path, written) {
            symbol_table::UrlTarget::Found(url) => Some(url),
            _ => None,
        }
    }
}
