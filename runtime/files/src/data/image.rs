//! Pictures: PNG and JPEG files from and to bytes of channels by rows by columns, as PyTorch's vision library has them.

use std::io::Cursor;
use std::path::Path;

use simple_system::memory;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::save::atomic::{self, Out};
use crate::save::plain::{Element, Plain};
use crate::save::source::{Fault, MOST_OF_DEFLATE, Source};

/// A picture of more pixels is refused, as most programs do.
const MOST_PIXELS: u64 = 1 << 28;
/// Pixels that a byte of a JPEG file may encode; large even surfaces come close to it.
const MOST_OF_JPEG: u64 = 1000;

/// Pixels row by row, the channels of a pixel side by side.
struct Pixels {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

/// Reads a file: gray, gray and alpha, color, or color and alpha, as 1 to 4 channels; `channels` other than 0 converts it.
pub fn load(path: &Path, channels: i64) -> Result<Plain, Fault> {
    let mut source = Source::open(path)?;
    let most = source.left();
    decode(&source.rest(most)?, channels)
}

/// Reads a picture from the bytes of its file.
pub fn decode(bytes: &[u8], channels: i64) -> Result<Plain, Fault> {
    let wanted = match channels {
        0..=4 => channels as usize,
        _ => {
            return Err(Fault::whole(format!(
                "an image must have 1 to 4 channels (or 0: as in the file), not {channels}"
            )));
        }
    };
    let pixels = if bytes.starts_with(b"\x89PNG") {
        decode_png(bytes)?
    } else if bytes.starts_with(&[0xff, 0xd8]) {
        decode_jpeg(bytes)?
    } else {
        return Err(Fault::at(0, "this is neither a PNG nor a JPEG file"));
    };
    planes(&converted(pixels, wanted)?)
}

fn decode_png(bytes: &[u8]) -> Result<Pixels, Fault> {
    let fault =
        |error: png::DecodingError| Fault::whole(format!("the PNG file is damaged: {error}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes and few bits become bytes, 16 bits lose the lower half.
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(fault)?;
    let info = reader.info();
    let (width, height) = (u64::from(info.width), u64::from(info.height));
    let packed = (width * info.bits_per_pixel() as u64).div_ceil(8) * height;
    fits(width, height, packed, bytes.len() as u64 * MOST_OF_DEFLATE)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| Fault::whole("the picture is larger than any memory"))?;
    let mut pixels = memory::zeros(size)?;
    let frame = reader.next_frame(&mut pixels).map_err(fault)?;
    pixels.truncate(frame.buffer_size());
    reader.finish().map_err(fault)?;
    Ok(Pixels {
        width: frame.width as usize,
        height: frame.height as usize,
        channels: frame.color_type.samples(),
        bytes: pixels,
    })
}

fn decode_jpeg(bytes: &[u8]) -> Result<Pixels, Fault> {
    let fault = |error: zune_jpeg::errors::DecodeErrors| {
        Fault::whole(format!("the JPEG file is damaged: {error}"))
    };
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(1 << 16)
        .set_max_height(1 << 16);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(fault)?;
    let (width, height) = decoder
        .dimensions()
        .ok_or_else(|| Fault::whole("the JPEG file has no size"))?;
    let (wide, high) = (width as u64, height as u64);
    fits(wide, high, wide * high, bytes.len() as u64 * MOST_OF_JPEG)?;
    let gray = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let (space, channels) = if gray {
        (ColorSpace::Luma, 1)
    } else {
        (ColorSpace::RGB, 3)
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    // The decoder cannot fail for lack of memory; it needs the pixels and as much again for its planes.
    memory::probe(width * height * channels * 2)?;
    let pixels = decoder.decode().map_err(fault)?;
    if pixels.len() != width * height * channels {
        return Err(Fault::whole(
            "the JPEG file has colors that are not understood; save it as RGB or gray",
        ));
    }
    Ok(Pixels {
        width,
        height,
        channels,
        bytes: pixels,
    })
}

/// Compares the size that a picture claims with what its file can hold.
fn fits(width: u64, height: u64, needed: u64, most: u64) -> Result<(), Fault> {
    if width * height > MOST_PIXELS || needed > most {
        return Err(Fault::whole(format!(
            "the picture claims {width} x {height} pixels, for which its file is too small"
        )));
    }
    Ok(())
}

/// The same picture with another number of channels; 0 leaves it as it is.
fn converted(pixels: Pixels, wanted: usize) -> Result<Pixels, Fault> {
    let have = pixels.channels;
    if wanted == 0 || wanted == have {
        return Ok(pixels);
    }
    let mut bytes = memory::with_room(pixels.width * pixels.height * wanted)?;
    for pixel in pixels.bytes.chunks_exact(have) {
        let (color, alpha) = match *pixel {
            [gray] => ([gray; 3], 255),
            [gray, alpha] => ([gray; 3], alpha),
            [red, green, blue] => ([red, green, blue], 255),
            [red, green, blue, alpha] => ([red, green, blue], alpha),
            _ => continue,
        };
        match wanted {
            1 => bytes.push(luminance(color)),
            2 => bytes.extend_from_slice(&[luminance(color), alpha]),
            3 => bytes.extend_from_slice(&color),
            _ => bytes.extend_from_slice(&[color[0], color[1], color[2], alpha]),
        }
    }
    Ok(Pixels {
        channels: wanted,
        bytes,
        ..pixels
    })
}

/// Brightness by ITU-R 601, in the integers that Pillow uses; gray stays as it is.
fn luminance([red, green, blue]: [u8; 3]) -> u8 {
    let sum = u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471;
    ((sum + 0x8000) >> 16) as u8
}

/// From channels side by side to one plane per channel.
fn planes(pixels: &Pixels) -> Result<Plain, Fault> {
    let mut bytes = memory::with_room(pixels.bytes.len())?;
    for channel in 0..pixels.channels {
        bytes.extend(pixels.bytes.iter().skip(channel).step_by(pixels.channels));
    }
    let dims = vec![pixels.channels, pixels.height, pixels.width];
    Ok(Plain::of_bytes(dims, bytes))
}

/// Writes a picture of u8, or of i64 whose numbers are 0 to 255; the ending of the path decides whether as PNG or as JPEG of this quality (1 to 100).
pub fn save(path: &Path, picture: &Plain, quality: i64) -> Result<(), Fault> {
    let narrowed = picture.narrowed()?;
    let pixels = interleaved(narrowed.as_ref().unwrap_or(picture))?;
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("png") => atomic::write(path, |out| encode_png(&pixels, out)),
        Some("jpg" | "jpeg") => atomic::write(path, |out| encode_jpeg(&pixels, quality, out)),
        _ => Err(Fault::whole(
            "the name must end in .png, .jpg or .jpeg, which says how to write it",
        )),
    }
}

/// From planes to channels side by side, after checking that this is a picture.
fn interleaved(picture: &Plain) -> Result<Pixels, Fault> {
    let (channels, height, width) = match *picture.dims.as_slice() {
        [height, width] => (1, height, width),
        [channels @ 1..=4, height, width] => (channels, height, width),
        _ => {
            return Err(Fault::whole(format!(
                "a picture has the shape [channels, rows, columns] with 1 to 4 channels, or [rows, columns], not {:?}",
                picture.dims
            )));
        }
    };
    if picture.element != Element::U8 {
        return Err(Fault::whole(format!(
            "a picture has the dtype u8, or i64 with numbers from 0 to 255, not {}; scale it to 0..255 and convert it",
            picture.element.name()
        )));
    }
    if width == 0 || height == 0 {
        return Err(Fault::whole("the picture has no pixels"));
    }
    let plane = width * height;
    let mut bytes = memory::with_room(picture.bytes.len())?;
    for pixel in 0..plane {
        bytes.extend((0..channels).map(|channel| picture.bytes[channel * plane + pixel]));
    }
    Ok(Pixels {
        width,
        height,
        channels,
        bytes,
    })
}

fn encode_png(pixels: &Pixels, out: &mut Out) -> Result<(), Fault> {
    let fault = |error: png::EncodingError| Fault::whole(format!("cannot be written: {error}"));
    let size = |size: usize| {
        u32::try_from(size).map_err(|_| Fault::whole("a PNG file cannot be that large"))
    };
    let mut encoder = png::Encoder::new(out, size(pixels.width)?, size(pixels.height)?);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(match pixels.channels {
        1 => png::ColorType::Grayscale,
        2 => png::ColorType::GrayscaleAlpha,
        3 => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    });
    let mut writer = encoder.write_header().map_err(fault)?;
    writer.write_image_data(&pixels.bytes).map_err(fault)?;
    writer.finish().map_err(fault)
}

fn encode_jpeg(pixels: &Pixels, quality: i64, out: &mut Out) -> Result<(), Fault> {
    let quality = u8::try_from(quality)
        .ok()
        .filter(|quality| (1..=100).contains(quality))
        .ok_or_else(|| Fault::whole(format!("the quality is 1 to 100, not {quality}")))?;
    let color = match pixels.channels {
        1 => jpeg_encoder::ColorType::Luma,
        3 => jpeg_encoder::ColorType::Rgb,
        _ => {
            return Err(Fault::whole(
                "a JPEG file has no alpha channel; give it 1 or 3 channels, or write a PNG file",
            ));
        }
    };
    let (Ok(width), Ok(height)) = (u16::try_from(pixels.width), u16::try_from(pixels.height))
    else {
        return Err(Fault::whole("a JPEG file has at most 65535 pixels a side"));
    };
    jpeg_encoder::Encoder::new(out, quality)
        .encode(&pixels.bytes, width, height, color)
        .map_err(|error| Fault::whole(format!("cannot be written: {error}")))
}
