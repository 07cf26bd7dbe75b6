//! The paths at which Jekyll publishes documents.

use crate::generators::{
    document::{Document, PathParts},
    permalink,
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = PathParts::of(document.below_root);
    let of_posts = |folder: &&str| ["_posts", "_drafts"].contains(folder);
    let posts_at = location.folders.iter().position(of_posts);
    let kind = permalink::jekyll_kind(&location.folders);
    let style = match document.settings.urls.style.as_str() {
        "" => "date",
        style => style,
    };
    let own = document.text("permalink");
    let of_default = || document.pattern(kind);
    let pattern = match own.or_else(of_default) {
        Some(pattern) => permalink::jekyll_style(pattern, kind).to_owned(),
        None => permalink::jekyll_default(style, kind, location.stem == "index"),
    };
    let name = document.without_date(location.stem);
    let slug = document.text("slug").unwrap_or(name);
    // Folders above `_posts` are categories of the post.
    let above: Vec<&str> = match posts_at {
        Some(index) => location.folders[..index].to_vec(),
        None => Vec::new(),
    };
    let below: Vec<&str> = match (posts_at, kind) {
        (Some(index), _) => location.folders[index + 1..].to_vec(),
        (None, "pages") => location.folders.clone(),
        (None, _) => {
            let of_collection = |folder: &&str| folder.strip_prefix('_') == Some(kind);
            let index = location.folders.iter().position(of_collection);
            location.folders[index.map_or(0, |index| index + 1)..].to_vec()
        }
    };
    permalink::expand(&pattern, |token| {
        Some(match token {
            // In Jekyll, `:title` is made from the name of the file or
            // from `slug`, not from the title.
            "title" => permalink::jekyll_title(slug),
            "slug" => permalink::jekyll_slug(slug),
            "name" | "basename" => location.stem.to_owned(),
            "path" if kind == "pages" => below.join("/"),
            "path" => {
                let parts = below.iter().copied().chain([location.stem]);
                parts.collect::<Vec<_>>().join("/")
            }
            "collection" => kind.to_owned(),
            "output_ext" => ".html".to_owned(),
            "categories" | "slugified_categories" => {
                let is_plain = token == "categories";
                let mut categories: Vec<String> = Vec::new();
                let named = above.iter().map(|folder| (*folder).to_owned());
                for category in named.chain(document.categories()) {
                    let category = if is_plain {
                        category.to_lowercase()
                    } else {
                        permalink::jekyll_slug(&category)
                    };
                    if !categories.contains(&category) {
                        categories.push(category);
                    }
                }
                categories.join("/")
            }
            token => permalink::date_part(token, document.date()?)?,
        })
    })
}
