//! Helpers for CSS colours: `color_to_rgba`, `contrast_text_color`.

use super::{HelperRow, coercion::spelled};
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("color_to_rgba", color_to_rgba),
    HelperRow::inline("contrast_text_color", contrast_text_color),
];

/// The colour used if none is given.
const DEFAULT: &str = "#15171A";

/// The brightness from which black text has more contrast than white.
const BRIGHT: f64 = 186.0;

/// Red, green and blue, from 0 to 255.
type Rgb = [f64; 3];

/// Writes a colour with an opacity, 0.25 by default.
fn color_to_rgba(call: &mut Call<PageState>) -> HelperResult {
    let opacity = match call.argument(1) {
        Value::Number(opacity) => opacity,
        Value::Text(text) => number_at_start(&text),
        // Values such as `null` convert to NaN.
        other => number_at_start(&spelled(&other)),
    };
    let opacity = if opacity.is_finite() {
        opacity.clamp(0.0, 1.0)
    } else {
        0.25
    };
    let Some(colour) = parsed(&given(call)) else {
        return Ok(Value::from("rgba(21, 23, 26, 0.25)"));
    };
    let [red, green, blue] = colour.map(f64::round);
    Ok(Value::from(if opacity == 1.0 {
        format!("rgb({red}, {green}, {blue})")
    } else {
        format!("rgba({red}, {green}, {blue}, {})", Value::from(opacity))
    }))
}

/// Writes black or white, whichever is more readable on a colour.
fn contrast_text_color(call: &mut Call<PageState>) -> HelperResult {
    let brightness =
        parsed(&given(call)).map(|[red, green, blue]| red * 0.299 + green * 0.587 + blue * 0.114);
    let is_bright = brightness.is_some_and(|brightness| brightness >= BRIGHT);
    Ok(Value::from(if is_bright { "#000000" } else { "#FFFFFF" }))
}

fn given(call: &Call<PageState>) -> String {
    match call.argument(0) {
        Value::Text(text) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => DEFAULT.to_owned(),
    }
}

/// Parses the number at the start of a string, as JavaScript's `parseFloat` does; NaN if there is none.
fn number_at_start(text: &str) -> f64 {
    let text = text.trim_start();
    let is_part =
        |character: char| character.is_ascii_digit() || matches!(character, '.' | '-' | '+');
    let length = text
        .find(|character| !is_part(character))
        .unwrap_or(text.len());
    text[..length].parse().unwrap_or(f64::NAN)
}

/// Parses a colour written in hexadecimal digits, with `rgb()` or `hsl()`, or as a name; `None` if `text` is not a colour.
fn parsed(text: &str) -> Option<Rgb> {
    if let Some(digits) = text.strip_prefix('#') {
        return hexadecimal(digits);
    }
    if text == "transparent" {
        return Some([0.0; 3]);
    }
    if let Some((function, arguments)) = text.split_once('(') {
        let arguments = arguments.strip_suffix(')')?;
        // The split below would ignore an empty last argument.
        if arguments.trim_end().ends_with(',') {
            return None;
        }
        let parts: Vec<&str> = arguments
            .split([',', '/', ' '])
            .filter(|part| !part.is_empty())
            .collect();
        let [one, two, three] = *parts.get(..3)? else {
            return None;
        };
        return match function {
            "rgb" | "rgba" => Some([channel(one)?, channel(two)?, channel(three)?]),
            "hsl" | "hsla" => {
                let hue: f64 = one.strip_suffix("deg").unwrap_or(one).parse().ok()?;
                Some(from_hsl(
                    hue.rem_euclid(360.0),
                    percent(two)?,
                    percent(three)?,
                ))
            }
            _ => None,
        };
    }
    let lower = text.to_ascii_lowercase();
    let names = include_str!("colours.txt").lines();
    let mut names = names.filter_map(|line| line.split_once(' '));
    names
        .find(|(name, _)| *name == lower)
        .and_then(|(_, digits)| hexadecimal(digits))
}

fn hexadecimal(digits: &str) -> Option<Rgb> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let width = match digits.len() {
        3 | 4 => 1,
        6 | 8 => 2,
        _ => return None,
    };
    let channel = |index: usize| {
        let part = &digits[index * width..(index + 1) * width];
        let value = u8::from_str_radix(part, 16).unwrap_or_default();
        // `#abc` is short for `#aabbcc`, and 0x11 is 17.
        f64::from(if width == 1 { value * 17 } else { value })
    };
    Some([channel(0), channel(1), channel(2)])
}

fn channel(text: &str) -> Option<f64> {
    let channel = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok()? * 2.55,
        // Without a percent sign, only integers are valid (Ghost 6.65).
        None => text.parse::<i64>().ok()? as f64,
    };
    Some(channel.clamp(0.0, 255.0))
}

fn percent(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
    Some(percent.clamp(0.0, 100.0) / 100.0)
}

fn from_hsl(hue: f64, saturation: f64, lightness: f64) -> Rgb {
    let reach = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let position = (offset + hue / 30.0) % 12.0;
        let share = (position - 3.0).min(9.0 - position).clamp(-1.0, 1.0);
        (lightness - reach * share) * 255.0
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_several_forms() {
        assert_eq!(parsed("#11664480"), Some([17.0, 102.0, 68.0]));
        assert_eq!(parsed("#fff"), Some([255.0; 3]));
        assert_eq!(parsed("Red"), Some([255.0, 0.0, 0.0]));
        assert_eq!(parsed("rgb(1,2,3)"), Some([1.0, 2.0, 3.0]));
        assert_eq!(parsed("transparent"), Some([0.0; 3]));
        for invalid in ["rgb(1.5,2,3)", "rgb(1,2,3,)", "RGB(1,2,3)"] {
            assert_eq!(parsed(invalid), None, "{invalid}");
        }
        assert_eq!(
            parsed("hsl(120,50%,50%)").map(|rgb| rgb.map(f64::round)),
            Some([64.0, 191.0, 64.0])
        );
        assert_eq!(parsed("#12"), None);
        assert_eq!(parsed("nope"), None);
    }
}
