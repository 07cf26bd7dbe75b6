//! Replaces images of other hosts that scripts show.

use std::borrow::Cow;

/// The image that replaces them.
const IMAGE: &str = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect \
    width=%2232%22 height=%2232%22 rx=%226%22 fill=%22%2315171a%22/%3E%3Ccircle cx=%2216%22 cy=%2216%22 r=%228%22 fill=%22%23fff%22/%3E%3C/svg%3E";

/// The extensions of image URLs.
const EXTENSIONS: [&str; 4] = [".png", ".svg", ".jpg", ".webp"];

/// Returns a script in which a simple image replaces those whose URLs begin with one of `hosts` and are complete in a
/// literal.
pub fn without_images_of<'a>(script: &'a str, hosts: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(script);
    for image in images(script, hosts) {
        if text.contains(image) {
            text = Cow::Owned(text.replace(image, IMAGE));
        }
    }
    text
}

fn images<'a>(script: &'a str, hosts: &[&str]) -> Vec<&'a str> {
    let mut images = Vec::new();
    for host in hosts {
        for (start, _) in script.match_indices(host) {
            let rest = &script[start..];
            let end = rest.find(['"', '\'', '`', '$', '\\', ')', ' ']);
            let url = &rest[..end.unwrap_or(rest.len())];
            if EXTENSIONS.iter().any(|ending| url.ends_with(ending)) {
                images.push(url);
            }
        }
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_other_hosts_are_replaced() {
        let script = "i??`https://a.example/v4/orb.png`,s=`https://a.example/stars-${n}.png`,c=`https://a.example/a.csv`,d='https://b.example/a.png'";
        assert_eq!(
            without_images_of(script, &["https://a.example/"]),
            script.replace("https://a.example/v4/orb.png", IMAGE)
        );
        assert!(matches!(without_images_of("a", &[]), Cow::Borrowed(_)));
    }
}
