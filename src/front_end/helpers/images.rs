//! The helper for URLs of images in the sizes of a theme: `img_url`.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use url::Url;

use super::{HelperRow, urls::relative};
use crate::{
    front_end::PageState,
    site_urls::SiteUrls,
    templates::{Call, HelperResult, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("img_url", img_url)];

/// The folder of a site's images in its URLs.
const IMAGES: &str = "content/images";

static IMAGES_FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(IMAGES));

/// The formats that images are converted to.
const FORMATS: [&str; 6] = ["gif", "jpeg", "jpg", "png", "webp", "avif"];

/// Capacity reserved for the size and the format in a URL, in bytes.
const SIZE_BYTES: usize = 32;

/// Writes the URL of an image; if the image is on the site, in the options `size` and `format`.
fn img_url(call: &mut Call<PageState>) -> HelperResult {
    let given = call.argument(0);
    if !given.is_some() {
        return Ok(Value::Undefined);
    }
    let urls = &call.state().site_urls;
    let size = Size::of(call);
    let is_absolute = match call.option("absolute") {
        Some(Value::Text(text)) => !text.is_empty() && &**text != "false",
        other => other.is_some_and(Value::is_true),
    };
    let Value::Text(image) = &given else {
        if !size.is_none() {
            return Err(call.error("{{img_url}} needs a string as URL if it has a size"));
        }
        // Any other value results in the home page (Ghost 6.65, recorded).
        return Ok(Value::from(if is_absolute {
            format!("{}/", urls.base())
        } else {
            urls.public_path("/")
        }));
    };
    // Only images of the site can be resized here.
    if !is_own(urls, image) {
        let is_unsplash = image.contains("images.unsplash.com");
        let sized = is_unsplash.then(|| unsplash(image, &size)).flatten();
        return Ok(sized.map_or_else(|| given.clone(), Value::from));
    }
    let sized = size.applied(image);
    if !is_absolute {
        return Ok(Value::from(relative(urls, &sized)));
    }
    let is_image = sized.strip_prefix(urls.subdirectory()).is_some_and(|path| {
        path.strip_prefix('/')
            .is_some_and(|path| path.starts_with(IMAGES))
    });
    if !is_image {
        return Ok(Value::from(sized));
    }
    let path = &sized[urls.subdirectory().len()..];
    Ok(Value::from(format!("{}{path}", urls.base())))
}

/// Splits a URL at its images folder; `None` if it does not contain the folder.
fn split_at_images(url: &str) -> Option<(&str, &str)> {
    let start = IMAGES_FINDER.find(url.as_bytes())?;
    Some((&url[..start], &url[start + IMAGES.len()..]))
}

/// Returns whether an image is on the site.
fn is_own(urls: &SiteUrls, image: &str) -> bool {
    let site = urls.site();
    // This is true for most images, and exact because the URL of the site includes the scheme.
    if image.starts_with(site) {
        return true;
    }
    if image.contains("http://") || image.contains("https://") {
        return false;
    }
    let resolved = Url::parse(site).and_then(|site| site.join(image));
    resolved.is_ok_and(|resolved| resolved.as_str().starts_with(site))
}

/// The requested size and format. A side is `None` if no size was requested or the `package.json` of the theme does not define
/// it.
struct Size {
    width: Option<String>,
    height: Option<String>,
    format: Option<String>,
}

impl Size {
    fn of(call: &Call<PageState>) -> Self {
        let option = |name| {
            call.option(name)
                .filter(|given| given.is_true())
                .map(Value::to_string)
        };
        let sizes = call.data("config").get("image_sizes");
        let size = option("size")
            .map(|name| sizes.get(&name))
            .unwrap_or_default();
        let side = |name| {
            Some(size.get(name))
                .filter(Value::is_true)
                .map(|side| side.to_string())
        };
        Self {
            width: side("width"),
            height: side("height"),
            format: option("format"),
        }
    }

    fn is_none(&self) -> bool {
        self.width.is_none() && self.height.is_none()
    }

    /// Returns the URL of one of the site's images in this size. Without a size, the format is ignored.
    fn applied(&self, image: &str) -> String {
        if self.is_none() {
            return image.to_owned();
        }
        let (folder, rest) = split_at_images(image).unwrap_or((image, ""));
        // Ghost splits the URL at each occurrence of the folder, and uses the first two parts.
        let name = split_at_images(rest).map_or(rest, |(name, _)| name);
        if name.is_empty() {
            return folder.to_owned();
        }
        let mut sized = String::with_capacity(image.len() + SIZE_BYTES);
        sized.extend([folder, IMAGES, "/size/"]);
        for (prefix, side) in [("w", &self.width), ("h", &self.height)] {
            if let Some(side) = side {
                sized.extend([prefix, side.as_str()]);
            }
        }
        if let Some(format) = self.format.as_deref()
            && FORMATS.contains(&format)
        {
            sized.extend(["/format/", format]);
        }
        sized.push_str(name);
        sized
    }
}

/// Returns the URL of an Unsplash photo in a size; `None` if `image` is not a URL.
fn unsplash(image: &str, size: &Size) -> Option<String> {
    let mut url = Url::parse(image).ok()?;
    let format = match size.format.as_deref() {
        Some("jpeg") => Some("jpg"),
        format => format.filter(|format| FORMATS.contains(format)),
    };
    if let Some(format) = format {
        set_parameter(&mut url, "fm", format);
    }
    if size.width.is_some() || size.height.is_some() {
        remove_parameters(&mut url, &["w", "h"]);
    }
    for (name, side) in [("w", &size.width), ("h", &size.height)] {
        if let Some(side) = side {
            set_parameter(&mut url, name, side);
        }
    }
    Some(url.into())
}

/// Replaces a parameter, or appends it.
fn set_parameter(url: &mut Url, name: &str, value: &str) {
    let mut pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let first = pairs.iter().position(|(own, _)| own == name);
    match first {
        Some(first) => value.clone_into(&mut pairs[first].1),
        None => pairs.push((name.to_owned(), value.to_owned())),
    }
    let mut index = 0;
    pairs.retain(|(own, _)| {
        index += 1;
        own != name || first.is_none_or(|first| first == index - 1)
    });
    // Encodes the query again, as `URLSearchParams` of JavaScript does after a change.
    url.query_pairs_mut().clear().extend_pairs(pairs);
}

fn remove_parameters(url: &mut Url, names: &[&str]) {
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let others: Vec<_> = pairs
        .iter()
        .filter(|(own, _)| !names.contains(&own.as_str()))
        .collect();
    if others.is_empty() {
        // An empty list would leave a question mark.
        url.set_query(None);
    } else {
        url.query_pairs_mut().clear().extend_pairs(others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: &str, format: Option<&str>) -> Size {
        Size {
            width: Some(width.to_owned()),
            height: None,
            format: format.map(str::to_owned),
        }
    }

    #[test]
    fn sizes_follow_the_folder_of_images() {
        let size = size("300", Some("avif"));
        assert_eq!(
            size.applied("/content/images/a b.png"),
            "/content/images/size/w300/format/avif/a b.png"
        );
        assert_eq!(size.applied("/assets/a.png"), "/assets/a.png");
        assert_eq!(size.applied(""), "");
    }

    #[test]
    fn photos_of_unsplash_get_a_width() {
        let photo = "https://images.unsplash.com/photo-1?w=2000&q=80";
        let sized = unsplash(photo, &size("300", None));
        assert_eq!(
            sized.as_deref(),
            Some("https://images.unsplash.com/photo-1?q=80&w=300")
        );
        let none = Size {
            width: None,
            height: None,
            format: None,
        };
        assert_eq!(unsplash(photo, &none).as_deref(), Some(photo));
    }
}
