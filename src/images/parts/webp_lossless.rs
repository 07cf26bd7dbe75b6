//! Counts the tables of a lossless WebP (RFC 9649, section 3), whose number is not in the header.
//!
//! A few bytes describe a decompression table that takes kilobytes, and there may be 327,680
//! tables: five for each kind of area. So everything before the pixels is read here as a decoder
//! does, but the tables are only counted.

use crate::images::{ImageError, parts::errors::unreadable};

/// Maximum number of pixels in an image that describes areas of another image. Encoders use areas
/// of at least 4 by 4 pixels in small images, and larger ones in large images.
const AREAS_MAX: usize = 1 << 20;

/// Number of transforms of pixels: by prediction, of colours, by subtraction of green, to a palette.
const TRANSFORMS_MAX: usize = 4;

/// Number of symbols in the five tables: green and lengths, red, blue, opacity, distances.
const ALPHABETS: [usize; 5] = [256 + 24, 256, 256, 256, 40];

/// The order in which the lengths of the code length codes are stored.
const LENGTH_ORDER: [usize; 19] = [
    17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
];

/// Longest code, in bits.
const CODE_BITS_MAX: usize = 15;

/// Number of bits of a code that the decoder looks up in one step.
const LOOKUP_BITS: usize = 10;

/// Size of an entry of the lookup table, and of the allocations for a table, in bytes.
const LOOKUP_BYTES: u64 = 4;
const ALLOCATION_BYTES: u64 = 96;

/// Memory for a code that needs a second lookup, in bytes.
const LONG_CODE_BYTES: u64 = 32;

/// Memory for a group of five tables without their content, while the list of groups grows, in
/// bytes.
const GROUP_BYTES: u64 = 900;

/// Offsets of the 120 nearest pixels, as column and row.
#[rustfmt::skip]
const NEAREST: [(i8, i8); 120] = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2),
    (0, 3), (3, 0), (1, 3), (-1, 3), (3, 1), (-3, 1), (2, 3), (-2, 3), (3, 2), (-3, 2), (0, 4), (4, 0),
    (1, 4), (-1, 4), (4, 1), (-4, 1), (3, 3), (-3, 3), (2, 4), (-2, 4), (4, 2), (-4, 2), (0, 5), (3, 4),
    (-3, 4), (4, 3), (-4, 3), (5, 0), (1, 5), (-1, 5), (5, 1), (-5, 1), (2, 5), (-2, 5), (5, 2), (-5, 2),
    (4, 4), (-4, 4), (3, 5), (-3, 5), (5, 3), (-5, 3), (0, 6), (6, 0), (1, 6), (-1, 6), (6, 1), (-6, 1),
    (2, 6), (-2, 6), (6, 2), (-6, 2), (4, 5), (-4, 5), (5, 4), (-5, 4), (3, 6), (-3, 6), (6, 3), (-6, 3),
    (0, 7), (7, 0), (1, 7), (-1, 7), (5, 5), (-5, 5), (7, 1), (-7, 1), (4, 6), (-4, 6), (6, 4), (-6, 4),
    (2, 7), (-2, 7), (7, 2), (-7, 2), (3, 7), (-3, 7), (7, 3), (-7, 3), (5, 6), (-5, 6), (6, 5), (-6, 5),
    (8, 0), (4, 7), (-4, 7), (7, 4), (-7, 4), (8, 1), (8, 2), (6, 6), (-6, 6), (8, 3), (5, 7), (-5, 7),
    (7, 5), (-7, 5), (8, 4), (6, 7), (-6, 7), (7, 6), (-7, 6), (8, 5), (7, 7), (-7, 7), (8, 6), (8, 7),
];

/// Returns the memory that a decoder takes for the tables of compressed pixels, in bytes. `size` is
/// the width and height if the pixels have no header.
///
/// # Errors
///
/// `Unreadable` if there is an error before the pixels; `TooLarge` if the pixels are divided into
/// more areas than a decoder should hold.
pub fn table_bytes(content: &[u8], size: Option<(u32, u32)>) -> Result<u64, ImageError> {
    let mut bits = Bits {
        content,
        position: 0,
    };
    let (mut width, height) = match size {
        Some((width, height)) => (width as usize, height as usize),
        None => {
            bits.read(8)?;
            let size = (1 + bits.read(14)?, 1 + bits.read(14)?);
            bits.read(4)?;
            size
        }
    };
    let mut transforms = 0;
    while bits.read(1)? == 1 {
        // Each transform occurs at most once; a decoder refuses a second one.
        transforms += 1;
        if transforms > TRANSFORMS_MAX {
            return Err(damaged());
        }
        match bits.read(2)? {
            0 | 1 => {
                areas(&mut bits, width, height)?;
            }
            2 => {}
            _ => {
                let colours = 1 + bits.read(8)?;
                pixels(&mut bits, colours, 1)?;
                let bundled_bits = match colours {
                    ..=2 => 3,
                    3..=4 => 2,
                    5..=16 => 1,
                    _ => 0,
                };
                // Several indices of a small palette share a pixel, so the following parts have
                // fewer columns.
                width = width.div_ceil(1 << bundled_bits);
            }
        }
    }
    main_table_bytes(&mut bits, width, height)
}

/// Counts the tables of the main image.
fn main_table_bytes(bits: &mut Bits, width: usize, height: usize) -> Result<u64, ImageError> {
    let cache_bits = cache_bits(bits)?;
    let groups = if bits.read(1)? == 1 {
        let areas = areas(bits, width, height)?;
        let group = |pixel: &[u8; 4]| u64::from(u16::from_be_bytes([pixel[0], pixel[1]]));
        1 + areas.iter().map(group).max().unwrap_or(0)
    } else {
        1
    };
    let mut bytes = groups * GROUP_BYTES;
    // Also groups that no area refers to are read, because decoders allocate their tables.
    for _ in 0..groups {
        for symbols in alphabets(cache_bits) {
            bytes += Code::read(bits, symbols)?.table_bytes();
        }
    }
    Ok(bytes)
}

/// Reads an image that has a pixel for each area of a larger image.
fn areas(bits: &mut Bits, width: usize, height: usize) -> Result<Vec<[u8; 4]>, ImageError> {
    let side = 4 << bits.read(3)?;
    let (width, height) = (width.div_ceil(side), height.div_ceil(side));
    if width * height > AREAS_MAX {
        return Err(ImageError::TooLarge(format!(
            "its pixels are divided into more than {AREAS_MAX} areas"
        )));
    }
    pixels(bits, width, height)
}

/// Returns the number of bits of an index into the cache of recent colours; 0 if there is no cache.
fn cache_bits(bits: &mut Bits) -> Result<usize, ImageError> {
    match bits.read(1)? {
        0 => Ok(0),
        _ => match bits.read(4)? {
            bits @ 1..=11 => Ok(bits),
            _ => Err(damaged()),
        },
    }
}

fn alphabets(cache_bits: usize) -> [usize; 5] {
    let recent = if cache_bits == 0 { 0 } else { 1 << cache_bits };
    let [green, red, blue, alpha, distance] = ALPHABETS;
    [green + recent, red, blue, alpha, distance]
}

/// Decodes the pixels of an image that is not divided into areas: red, green, blue and opacity.
fn pixels(bits: &mut Bits, width: usize, height: usize) -> Result<Vec<[u8; 4]>, ImageError> {
    let cache_bits = cache_bits(bits)?;
    let mut recent = vec![[0; 4]; 1 << cache_bits];
    let mut tables = Vec::with_capacity(ALPHABETS.len());
    for symbols in alphabets(cache_bits) {
        tables.push(Code::read(bits, symbols)?.lookup());
    }
    let [green, red, blue, alpha, distance] = &tables[..] else {
        return Err(damaged());
    };
    let count = width * height;
    let mut pixels: Vec<[u8; 4]> = Vec::with_capacity(count);
    while pixels.len() < count {
        let known = pixels.len();
        match green.read(bits)? {
            value @ 0..256 => {
                let colours = [red.read(bits)?, value, blue.read(bits)?, alpha.read(bits)?];
                pixels.push(colours.map(|value| value as u8));
            }
            symbol @ 256..280 => {
                let length = number(bits, symbol - 256)?;
                let symbol = distance.read(bits)?;
                let back = number_of_pixels(number(bits, symbol)?, width);
                if back > known || length > count - known {
                    return Err(damaged());
                }
                // One by one, because the copied range may overlap its copy.
                for offset in known - back..known - back + length {
                    pixels.push(pixels[offset]);
                }
            }
            symbol if cache_bits > 0 => pixels.push(recent[symbol - 280]),
            _ => return Err(damaged()),
        }
        if cache_bits > 0 {
            for pixel in &pixels[known..] {
                let [red, green, blue, alpha] = *pixel;
                let colour = u32::from_be_bytes([alpha, red, green, blue]);
                // The format specifies this hash, which is the index in the cache.
                let index = 0x1E35_A7BD_u32.wrapping_mul(colour) >> (32 - cache_bits);
                recent[index as usize] = *pixel;
            }
        }
    }
    Ok(pixels)
}

/// Reads a length or a distance that begins with `symbol`.
fn number(bits: &mut Bits, symbol: usize) -> Result<usize, ImageError> {
    if symbol < 4 {
        return Ok(symbol + 1);
    }
    let extra = (symbol - 2) >> 1;
    Ok(((2 + (symbol & 1)) << extra) + bits.read(extra)? + 1)
}

/// Converts a coded distance to a number of pixels.
fn number_of_pixels(distance: usize, width: usize) -> usize {
    match NEAREST.get(distance - 1) {
        Some((column, row)) => {
            let back = i64::from(*column) + i64::from(*row) * width as i64;
            usize::try_from(back).unwrap_or(0).max(1)
        }
        None => distance - NEAREST.len(),
    }
}

/// A prefix code, described by the code length of each symbol.
enum Code {
    /// One symbol, which takes no bits.
    Single(usize),
    /// Two symbols of one bit.
    Two([usize; 2]),
    /// The code length of each symbol in bits; 0 if it does not occur.
    Lengths(Vec<u8>),
}

impl Code {
    fn read(bits: &mut Bits, symbols: usize) -> Result<Self, ImageError> {
        if bits.read(1)? == 0 {
            return Self::read_lengths(bits, symbols);
        }
        let has_two = bits.read(1)? == 1;
        let first_bits = if bits.read(1)? == 1 { 8 } else { 1 };
        let first = bits.read(first_bits)?;
        let second = if has_two { bits.read(8)? } else { first };
        if first.max(second) >= symbols {
            return Err(damaged());
        }
        Ok(if has_two {
            Self::Two([first, second])
        } else {
            Self::Single(first)
        })
    }

    /// Reads code lengths, which are themselves coded.
    fn read_lengths(bits: &mut Bits, symbols: usize) -> Result<Self, ImageError> {
        let mut lengths = vec![0; LENGTH_ORDER.len()];
        let count = 4 + bits.read(4)?;
        for symbol in &LENGTH_ORDER[..count] {
            lengths[*symbol] = bits.read(3)? as u8;
        }
        let code = Self::of_lengths(lengths)?.lookup();
        let mut remaining = if bits.read(1)? == 1 {
            let length_bits = 2 + 2 * bits.read(3)?;
            2 + bits.read(length_bits)?
        } else {
            symbols
        };
        if remaining > symbols {
            return Err(damaged());
        }
        let mut lengths = Vec::with_capacity(symbols);
        let mut last = 8;
        while lengths.len() < symbols && remaining > 0 {
            remaining -= 1;
            let (length, repeated) = match code.read(bits)? {
                length @ 0..16 => (length as u8, 1),
                16 => (last, 3 + bits.read(2)?),
                17 => (0, 3 + bits.read(3)?),
                _ => (0, 11 + bits.read(7)?),
            };
            if length > 0 {
                last = length;
            }
            if repeated > symbols - lengths.len() {
                return Err(damaged());
            }
            lengths.resize(lengths.len() + repeated, length);
        }
        Self::of_lengths(lengths)
    }

    /// Checks that codes of these lengths are unambiguous and complete.
    fn of_lengths(lengths: Vec<u8>) -> Result<Self, ImageError> {
        let mut used = lengths
            .iter()
            .enumerate()
            .filter(|(_, length)| **length > 0);
        let (Some((first, _)), second) = (used.next(), used.next()) else {
            return Err(damaged());
        };
        if second.is_none() {
            return Ok(Self::Single(first));
        }
        let shares = lengths.iter().filter(|length| **length > 0);
        let whole: usize = shares
            .map(|length| 1 << (CODE_BITS_MAX - usize::from(*length)))
            .sum();
        if whole == 1 << CODE_BITS_MAX {
            Ok(Self::Lengths(lengths))
        } else {
            Err(damaged())
        }
    }

    /// Returns the size of the decoder's table, in bytes.
    fn table_bytes(&self) -> u64 {
        let Self::Lengths(lengths) = self else {
            return ALLOCATION_BYTES;
        };
        let longest = lengths
            .iter()
            .max()
            .map_or(0, |length| usize::from(*length));
        let is_long = |length: &&u8| usize::from(**length) > LOOKUP_BITS;
        let long = lengths.iter().filter(is_long).count() as u64;
        (LOOKUP_BYTES << longest.min(LOOKUP_BITS)) + LONG_CODE_BYTES * long + ALLOCATION_BYTES
    }

    /// Returns a table that is indexed by the next bits, the first of which is the lowest bit of
    /// the index.
    fn lookup(&self) -> Lookup {
        let (bits, entries) = match self {
            Self::Single(symbol) => (0, vec![(*symbol as u16, 0)]),
            Self::Two(symbols) => (1, symbols.map(|symbol| (symbol as u16, 1)).to_vec()),
            Self::Lengths(lengths) => {
                let longest = lengths
                    .iter()
                    .max()
                    .map_or(0, |length| usize::from(*length));
                let mut entries = vec![(0, 0); 1 << longest];
                let mut code = 0_usize;
                for length in 1..=longest {
                    code <<= 1;
                    let of_length = |(_, other): &(usize, &u8)| usize::from(**other) == length;
                    for (symbol, _) in lengths.iter().enumerate().filter(of_length) {
                        let first = code.reverse_bits() >> (usize::BITS as usize - length);
                        for entry in entries.iter_mut().skip(first).step_by(1 << length) {
                            *entry = (symbol as u16, length as u8);
                        }
                        code += 1;
                    }
                }
                (longest, entries)
            }
        };
        Lookup { bits, entries }
    }
}

/// The symbol and the length of its code for each sequence of bits.
struct Lookup {
    bits: usize,
    entries: Vec<(u16, u8)>,
}

impl Lookup {
    fn read(&self, bits: &mut Bits) -> Result<usize, ImageError> {
        let (symbol, length) = self.entries[bits.peek(self.bits)];
        bits.skip(usize::from(length))?;
        Ok(usize::from(symbol))
    }
}

/// A bit reader that starts with the lowest bit of each byte.
struct Bits<'a> {
    content: &'a [u8],
    position: usize,
}

impl Bits<'_> {
    /// Returns the next `count` bits, at most 24. Bits after the end are zero.
    fn peek(&self, count: usize) -> usize {
        let rest = self.content.get(self.position / 8..).unwrap_or_default();
        let bytes = match rest.first_chunk() {
            Some(bytes) => *bytes,
            None => {
                let mut bytes = [0; 4];
                bytes[..rest.len()].copy_from_slice(rest);
                bytes
            }
        };
        u32::from_le_bytes(bytes) as usize >> (self.position % 8) & ((1 << count) - 1)
    }

    fn skip(&mut self, count: usize) -> Result<(), ImageError> {
        self.position += count;
        if self.position > 8 * self.content.len() {
            return Err(unreadable("it is truncated"));
        }
        Ok(())
    }

    fn read(&mut self, count: usize) -> Result<usize, ImageError> {
        let value = self.peek(count);
        self.skip(count)?;
        Ok(value)
    }
}

fn damaged() -> ImageError {
    unreadable("its pixels are damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values and their lengths in bits, as they follow each other in a file.
    type Fields = Vec<(usize, usize)>;

    /// Returns an image without a colour cache, whose five codes have one symbol each.
    fn image() -> Fields {
        let mut fields = vec![(0, 1)];
        for _ in ALPHABETS {
            fields.extend([(1, 1), (0, 1), (0, 1), (0, 1)]);
        }
        fields
    }

    /// Returns the data of an image of one pixel with `transforms`: prediction, colours, green and palette, repeated.
    fn pixel_with(transforms: usize) -> Vec<u8> {
        let mut fields = Fields::new();
        for transform in 0..transforms {
            let number = transform % 4;
            fields.extend([(1, 1), (number, 2)]);
            match number {
                2 => {}
                3 => fields.extend([(0, 8)].into_iter().chain(image())),
                _ => fields.extend([(0, 3)].into_iter().chain(image())),
            }
        }
        fields.push((0, 1));
        let mut pixels = image();
        // The pixels are not divided into areas.
        pixels.insert(1, (0, 1));
        fields.extend(pixels);
        let bits = fields
            .into_iter()
            .flat_map(|(value, count)| (0..count).map(move |bit| (value >> bit & 1) as u8));
        let bits: Vec<u8> = bits.collect();
        let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn each_transform_may_occur_once() {
        let expected = GROUP_BYTES + ALPHABETS.len() as u64 * ALLOCATION_BYTES;
        for transforms in 0..=TRANSFORMS_MAX {
            let bytes = table_bytes(&pixel_with(transforms), Some((1, 1)));
            assert_eq!(bytes.unwrap(), expected, "{transforms}");
        }
        let refused = table_bytes(&pixel_with(TRANSFORMS_MAX + 1), Some((1, 1)));
        assert!(matches!(refused, Err(ImageError::Unreadable(_))));
    }
}
