//! The fonts that a site chooses to replace those of the theme.

use super::page::Page;

/// A font that can be chosen.
struct Font {
    /// The name in the settings and in CSS.
    name: &'static str,
    /// The name in classes and URLs.
    class: &'static str,
    /// The weights that are loaded.
    weights: &'static str,
    /// Whether the font is for text too; all fonts are for headings.
    is_for_text: bool,
}

const fn heading(name: &'static str, class: &'static str, weights: &'static str) -> Font {
    Font {
        name,
        class,
        weights,
        is_for_text: false,
    }
}

const fn any(name: &'static str, class: &'static str, weights: &'static str) -> Font {
    Font {
        name,
        class,
        weights,
        is_for_text: true,
    }
}

/// All fonts, with the weights that Ghost 6.65 requests.
const FONTS: &[Font] = &[
    heading("Cardo", "cardo", "400,700"),
    heading("Chakra Petch", "chakra-petch", "400"),
    any("Fira Mono", "fira-mono", "400,700"),
    any("Fira Sans", "fira-sans", "400,500,600"),
    any("IBM Plex Serif", "ibm-plex-serif", "400,500,600"),
    any("Inter", "inter", "400,500,600"),
    any("JetBrains Mono", "jetbrains-mono", "400,700"),
    heading("Libre Baskerville", "libre-baskerville", "700"),
    any("Lora", "lora", "400,700"),
    any("Manrope", "manrope", "300,500,700"),
    any("Merriweather", "merriweather", "300,700"),
    any("Noto Sans", "noto-sans", "400,700"),
    any("Noto Serif", "noto-serif", "400,700"),
    any("Nunito", "nunito", "400,600,700"),
    heading("Old Standard TT", "old-standard-tt", "400,700"),
    any("Poppins", "poppins", "400,500,600"),
    any("Roboto", "roboto", "400,500,700"),
    heading("Rufina", "rufina", "400,500,700"),
    heading("Space Grotesk", "space-grotesk", "700"),
    any("Space Mono", "space-mono", "400,700"),
    heading("Tenor Sans", "tenor-sans", "400"),
];

/// The host that serves the fonts.
const FONT_HOST: &str = "https://fonts.bunny.net";

/// The fonts that a site has chosen.
pub(super) struct FontChoice {
    heading: Option<&'static Font>,
    body: Option<&'static Font>,
}

impl FontChoice {
    /// Returns the choice of the site or, if staff preview settings, the previewed choice even if it is empty. `None` if the
    /// theme's fonts are used.
    pub fn of(page: &Page) -> Option<Self> {
        let font = |key: &str| match &page.state.staff.preview {
            Some(preview) => preview.text(key).map(str::to_owned),
            None => page.setting(key),
        };
        let heading = font("heading_font").unwrap_or_default();
        let body = font("body_font").unwrap_or_default();
        Self::named(&heading, &body)
    }

    /// Returns the fonts with these names; `None` unless there is a heading font or a body font for text (Ghost 6.65).
    fn named(heading: &str, body: &str) -> Option<Self> {
        let font = |name: &str| FONTS.iter().find(|font| font.name == name);
        let choice = Self {
            heading: font(heading),
            body: font(body),
        };
        let is_for_text = choice.body.is_some_and(|font| font.is_for_text);
        (choice.heading.is_some() || is_for_text).then_some(choice)
    }

    /// Returns the classes for the body element.
    pub fn body_class(&self) -> String {
        let heading = self
            .heading
            .map(|font| format!("gh-font-heading-{}", font.class));
        let body = self.body.map(|font| format!("gh-font-body-{}", font.class));
        [heading, body]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the elements of the head that load the fonts and pass their names to the theme.
    pub fn head(&self) -> String {
        let mut families: Vec<String> = Vec::new();
        let mut variables = String::new();
        for (part, font) in [("heading", self.heading), ("body", self.body)] {
            let Some(Font {
                name,
                class,
                weights,
                ..
            }) = font
            else {
                continue;
            };
            families.push(format!("{class}:{weights}"));
            variables.push_str(&format!("--gh-font-{part}: {name};"));
        }
        // One family for both parts is requested once.
        families.dedup();
        format!(
            "<link rel=\"preconnect\" href=\"{FONT_HOST}\"><link rel=\"stylesheet\" href=\"{FONT_HOST}/css?family={}\">\
             <style>:root {{{variables}}}</style>",
            families.join("|")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_for_headings_are_not_for_text() {
        assert!(FontChoice::named("", "Cardo").is_none());
        let both = FontChoice::named("Cardo", "Inter").unwrap();
        assert_eq!(
            both.body_class(),
            "gh-font-heading-cardo gh-font-body-inter"
        );
        assert!(
            both.head()
                .contains("family=cardo:400,700|inter:400,500,600")
        );
        assert!(
            FontChoice::named("Inter", "Inter")
                .unwrap()
                .head()
                .contains("family=inter:400,500,600\"")
        );
    }
}
