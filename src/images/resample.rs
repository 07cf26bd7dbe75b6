//! Scales the pixels of an image.
//!
//! The resizing library is used only for pixels of four bytes, since each further pixel type adds
//! half a megabyte of code. A photo with three bytes for each pixel should not be held in memory with
//! four. So bands of its rows are widened and scaled to the new width one after the other, and the
//! resulting narrow image is then scaled to the new height.

use fast_image_resize::{
    CropBox, FilterType, MulDiv, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x4,
};

use super::{ImageError, size::FittedSize};

/// Size of a pixel while an image is scaled, in bytes.
pub const SCALED_PIXEL_BYTES: u64 = 4;

/// Maximum size of a band of rows, in bytes. A single row may be larger.
const BAND_BYTES: usize = 1 << 20;

/// Width and height in pixels.
type Dimensions = (u32, u32);

/// Scales an image to `fitted`, with a Lanczos filter, and returns its pixels. A pixel has `N`
/// bytes: grey, RGB or RGBA.
///
/// # Errors
///
/// `Unreadable` if there are not `N` bytes for each pixel.
pub fn resample<const N: usize>(
    pixels: Vec<u8>,
    from: Dimensions,
    fitted: FittedSize,
) -> Result<Vec<u8>, ImageError> {
    if pixels.len() * 4 != byte_count(from) * N {
        return Err(unreadable(
            "it has more or fewer pixels than its header says",
        ));
    }
    let to = (fitted.width, fitted.height);
    let crop = if fitted.is_cropped {
        CropBox::fit_src_into_dst_size(from.0, from.1, to.0, to.1, None)
    } else {
        CropBox {
            left: 0.0,
            top: 0.0,
            width: from.0.into(),
            height: from.1.into(),
        }
    };
    let mut resizer = Resizer::new();
    let narrow = narrowed::<N>(&mut resizer, &pixels, from, to.0, &crop)?;
    // Released before the next allocation: `memory_bytes` counts on it.
    drop(pixels);
    let mut scaled = vec![0; byte_count(to)];
    let vertically = lanczos().crop(0.0, crop.top, to.0.into(), crop.height);
    scale(
        &mut resizer,
        &narrow,
        (to.0, from.1),
        &mut scaled,
        to,
        &vertically,
    )?;
    drop(narrow);
    if N == 4 {
        let mut image =
            TypedImage::<U8x4>::from_buffer(to.0, to.1, &mut scaled).map_err(unreadable)?;
        MulDiv::new()
            .divide_alpha_inplace_typed(&mut image)
            .map_err(unreadable)?;
    }
    Ok(with_bytes::<N>(scaled))
}

/// Scales an image to a new width, band by band. Pixels of the result have four bytes. Colours are
/// premultiplied by the opacity, so that transparent pixels do not affect the colours of their
/// neighbours.
fn narrowed<const N: usize>(
    resizer: &mut Resizer,
    pixels: &[u8],
    (width, height): Dimensions,
    to_width: u32,
    crop: &CropBox,
) -> Result<Vec<u8>, ImageError> {
    let row_bytes = byte_count((width, 1));
    let rows_max = (BAND_BYTES / row_bytes.max(1)).max(1);
    let mut narrow = vec![0; byte_count((to_width, height))];
    let mut band = Vec::with_capacity(rows_max * row_bytes);
    let bands = pixels.chunks(rows_max * width as usize * N);
    let narrow_bands = narrow.chunks_mut(rows_max * byte_count((to_width, 1)));
    for (wide, narrow) in bands.zip(narrow_bands) {
        widen::<N>(wide, &mut band);
        let rows = u32::try_from(band.len() / row_bytes.max(1)).map_err(unreadable)?;
        if N == 4 {
            let mut image =
                TypedImage::<U8x4>::from_buffer(width, rows, &mut band).map_err(unreadable)?;
            MulDiv::new()
                .multiply_alpha_inplace_typed(&mut image)
                .map_err(unreadable)?;
        }
        let horizontally = lanczos().crop(crop.left, 0.0, crop.width, rows.into());
        scale(
            resizer,
            &band,
            (width, rows),
            narrow,
            (to_width, rows),
            &horizontally,
        )?;
    }
    Ok(narrow)
}

fn lanczos() -> ResizeOptions {
    ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
        // Colours are premultiplied once for both steps, not in each of them.
        .use_alpha(false)
}

fn scale(
    resizer: &mut Resizer,
    pixels: &[u8],
    from: Dimensions,
    scaled: &mut [u8],
    to: Dimensions,
    options: &ResizeOptions,
) -> Result<(), ImageError> {
    let from = TypedImageRef::<U8x4>::from_buffer(from.0, from.1, pixels).map_err(unreadable)?;
    let mut to = TypedImage::<U8x4>::from_buffer(to.0, to.1, scaled).map_err(unreadable)?;
    resizer
        .resize_typed(&from, &mut to, options)
        .map_err(unreadable)
}

fn byte_count((width, height): Dimensions) -> usize {
    width as usize * height as usize * SCALED_PIXEL_BYTES as usize
}

/// Replaces `wide` with pixels of four bytes.
fn widen<const N: usize>(pixels: &[u8], wide: &mut Vec<u8>) {
    wide.clear();
    wide.extend(pixels.as_chunks::<N>().0.iter().flat_map(|pixel| {
        let mut widened = [0; 4];
        widened[..N].copy_from_slice(pixel);
        widened
    }));
}

/// Returns the first `N` bytes of each pixel of four bytes, in the same allocation.
fn with_bytes<const N: usize>(mut pixels: Vec<u8>) -> Vec<u8> {
    if N == 4 {
        return pixels;
    }
    let count = pixels.len() / 4;
    // In ascending order, each pixel moves towards the beginning and overwrites only pixels that
    // have moved.
    for number in 0..count {
        pixels.copy_within(4 * number..4 * number + N, N * number);
    }
    pixels.truncate(N * count);
    pixels
}

fn unreadable(error: impl std::fmt::Display) -> ImageError {
    ImageError::Unreadable(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(width: u32, height: u32, is_cropped: bool) -> FittedSize {
        FittedSize {
            width,
            height,
            is_cropped,
        }
    }

    /// Scales with the library alone, with all pixels of four bytes at once.
    fn by_the_library(
        pixels: &[u8],
        from: Dimensions,
        to: Dimensions,
        options: ResizeOptions,
    ) -> Vec<u8> {
        let mut scaled = vec![0; byte_count(to)];
        scale(&mut Resizer::new(), pixels, from, &mut scaled, to, &options).unwrap();
        scaled
    }

    /// Returns the pixels of a gradient with an edge, of `N` bytes each.
    fn pixels<const N: usize>((width, height): Dimensions) -> Vec<u8> {
        let pixel = |x: u32, y: u32| {
            let edge = if x + y > width { 200 } else { 0 };
            let bytes = [x % 256, y % 256, edge, 155 + edge / 2];
            bytes.map(|byte| u8::try_from(byte).unwrap())
        };
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        rows.flat_map(|(x, y)| pixel(x, y).into_iter().take(N))
            .collect()
    }

    fn assert_close(one: &[u8], other: &[u8]) {
        assert_eq!(one.len(), other.len());
        let most = one
            .iter()
            .zip(other)
            .map(|(one, other)| one.abs_diff(*other))
            .max();
        // The passes run in another order, so that intermediate values round differently, and
        // dividing by the opacity amplifies the differences.
        assert!(most <= Some(4), "{most:?}");
    }

    #[test]
    fn bands_result_in_what_the_whole_image_does() {
        // More rows than fit into a band.
        let (from, to) = ((700, 900), (130, 167));
        let transparent = pixels::<4>(from);
        let options = lanczos().use_alpha(true);
        let scaled = resample::<4>(transparent.clone(), from, fitted(130, 167, false)).unwrap();
        assert_close(&scaled, &by_the_library(&transparent, from, to, options));
        let mut wide = Vec::new();
        widen::<3>(&pixels::<3>(from), &mut wide);
        let scaled = resample::<3>(pixels::<3>(from), from, fitted(130, 167, false)).unwrap();
        let whole = by_the_library(&wide, from, to, lanczos());
        assert_close(&scaled, &with_bytes::<3>(whole));
    }

    #[test]
    fn cropped_image_is_the_middle() {
        let (from, to) = ((700, 300), (64, 64));
        let mut wide = Vec::new();
        widen::<1>(&pixels::<1>(from), &mut wide);
        let scaled = resample::<1>(pixels::<1>(from), from, fitted(64, 64, true)).unwrap();
        let whole = by_the_library(&wide, from, to, lanczos().fit_into_destination(None));
        assert_close(&scaled, &with_bytes::<1>(whole));
    }

    #[test]
    fn missing_pixels_are_rejected() {
        assert!(resample::<3>(vec![0; 7], (2, 2), fitted(1, 1, false)).is_err());
    }
}
