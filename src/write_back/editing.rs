//! Applies an edit of a post to the text of its content file.

use crate::{
    catalog::Catalog,
    content_files::BodyFormat,
    content_text::{body_of, edit_keys, with_body},
    domain::{
        post::{Body, Post},
        secret::Digest,
    },
    error::Result,
    render::{lexical::are_equivalent, markdown_to_lexical::FENCE},
    write_back::{
        file_reader::{FileReader, ReadPost},
        refusals::cannot_store,
        values::FileValues,
    },
};

impl ReadPost {
    /// Returns the text that was read, and its post with those values of the edit `wanted` that a file does not contain: the
    /// date, if the file has none, and the document `edited`, which the editor compares with the one that it sent.
    fn with_edit_of(
        self,
        text: String,
        wanted: Post,
        edited: Option<String>,
    ) -> (String, Post, Body) {
        let own = self.body.lexical;
        let edited = edited.filter(|edited| own.as_ref() != Some(edited));
        let of_file = own.as_deref().filter(|_| edited.is_some());
        let post = Post {
            // The symbol table does not contain tags and authors that this change adds.
            tags: wanted.tags,
            authors: wanted.authors,
            updated_at: wanted.updated_at,
            document_of_file: of_file.map(|document| Box::new(Digest::of(document))),
            ..self.post
        };
        let body = Body {
            lexical: if of_file.is_some() { edited } else { own },
            ..self.body
        };
        (text, post, body)
    }
}

/// An edit of the text of a post's file.
pub(super) struct FileEditing<'a> {
    pub reader: &'a FileReader,
    pub catalog: &'a Catalog,
    pub is_new: bool,
}

impl FileEditing<'_> {
    /// Returns the text with the values of `wanted` and the body, and the post that is read from this text.
    pub fn apply(&self, text: &str, wanted: Post, body: Body) -> Result<(String, Post, Body)> {
        // Values derived from others may only differ after the first round, such as an identifier derived from the slug.
        const ROUNDS: usize = 3;
        let (reader, before) = (self.reader, text);
        let mut text = text.to_owned();
        // The body is edited before the keys: if its heading is the title, the new title is written
        // there, and no key is needed.
        if let Some(edited) = &body.lexical {
            text = self.with_document(&text, &wanted.title, edited)?;
        }
        for _ in 0..ROUNDS {
            let changes = match reader.read(&text) {
                Ok(read) => FileValues::of(reader, self.catalog, &read).changes_to(&wanted)?,
                // A new file has no title yet, so it cannot be read.
                Err(_) if self.is_new => FileValues::first(&wanted),
                Err(error) => return Err(error),
            };
            if changes.is_empty() {
                break;
            }
            text = edit_keys(&text, reader.shape(), &changes)
                .map_err(|error| reader.refused(&error))?;
        }
        // The text is read again, and the result is compared: what is stored and served is what any
        // other reader of the file gets.
        let mut read = reader.read(&text)?;
        let values = FileValues::of(reader, self.catalog, &read);
        if let Some(change) = values.changes_to(&wanted)?.first() {
            let name = change.names.first().map_or("a value", String::as_str);
            return Err(cannot_store(&reader.path, &format!("`{name}`")));
        }
        // The date is only written with another change.
        if let Some(change) = values.date_of_change(&wanted).filter(|_| text != *before) {
            text = edit_keys(&text, reader.shape(), &[change])
                .map_err(|error| reader.refused(&error))?;
            read = reader.read(&text)?;
        }
        Ok(read.with_edit_of(text, wanted, body.lexical))
    }

    /// Returns the text with the title, and with the blocks of the document `edited` that differ from those in the file.
    ///
    /// # Errors
    ///
    /// `Validation` if the body changes in a file whose body is expanded from templates.
    fn with_document(&self, text: &str, title: &str, edited: &str) -> Result<String> {
        // A new file has no title yet and cannot be read. Any other invalid file is an error of the
        // caller, which reads the result.
        let read = self.reader.read(text).ok();
        let read = read.as_ref();
        let body = body_of(text, self.reader.shape());
        // A heading that is used as the title is not part of the post's body.
        let rest = read.map_or(&*body, |read| read.file.body.text());
        let (heading, rest) = match body.strip_suffix(rest) {
            Some(heading) => (heading, rest),
            // The body that was read is not a suffix of the written one if templates in it were
            // expanded. Edits of such bodies are refused below.
            None => ("", &*body),
        };
        let heading = match read {
            Some(read) if !heading.trim().is_empty() && *read.post.title != *title => {
                format!("# {title}\n")
            }
            _ => heading.to_owned(),
        };
        let shown = read.and_then(|read| read.body.lexical.as_deref());
        let is_same = shown.is_some_and(|shown| shown == edited || are_equivalent(shown, edited));
        if !is_same && read.is_some_and(|read| read.is_expanded) {
            let problem = cannot_store(&self.reader.path, "another body");
            return Err(problem.context("Its text comes from templates or components."));
        }
        let format = read.map_or(BodyFormat::Markdown, |read| read.file.body.format);
        let written = self.reader.with_bodies(format, |shape, bodies| {
            let rest = if is_same {
                rest.to_owned()
            } else {
                bodies.write(rest, &bodies.document(rest).lexical, edited)?
            };
            let text = with_body(text, shape, &format!("{heading}{rest}"));
            // In plain Markdown, the fences of editor nodes would be code.
            if !is_same && format == BodyFormat::Markdown && has_nodes(&rest) {
                edit_keys(&text, shape, &[FileValues::lexical_body()])
            } else {
                Ok(text)
            }
        });
        written.map_err(|error| self.reader.refused(&error))
    }
}

/// Returns whether Markdown contains fences with nodes of the editor's documents.
fn has_nodes(markdown: &str) -> bool {
    let mut lines = markdown.lines().map(str::trim_start);
    lines.any(|line| line.trim_start_matches(['`', '~']).trim() == FENCE && line != FENCE)
}
