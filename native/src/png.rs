//! Pixels to PNG: grey or palette where the page allows it, level 1 without filter.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, Filter};

use crate::failure::{Failure, Kind};

/// Pixels as PDFium leaves them: rows of `stride` bytes, one byte of grey or three of blue, green, red.
pub struct Pixels<'a> {
    pub bytes: &'a [u8],
    pub width: usize,
    pub height: usize,
    pub stride: usize,
    pub grey: bool,
}

impl<'a> Pixels<'a> {
    fn rows(&self) -> impl Iterator<Item = &'a [u8]> {
        let used = self.width * if self.grey { 1 } else { 3 };
        self.bytes.chunks_exact(self.stride).take(self.height).map(move |row| &row[..used])
    }
}

pub struct Encoded {
    pub bytes: Vec<u8>,
    /// As Pillow names it: "L", "P" or "RGB".
    pub mode: &'static str,
}

/// Encode with `packed` as scratch memory.
pub fn encode(pixels: &Pixels<'_>, packed: &mut Vec<u8>) -> Result<Encoded, Failure> {
    packed.clear();
    if pixels.grey {
        pixels.rows().for_each(|row| packed.extend_from_slice(row));
        return write(pixels, packed, Colors::Grey);
    }
    if pixels.rows().all(is_grey) {
        pixels.rows().for_each(|row| packed.extend(row.as_chunks::<3>().0.iter().map(|pixel| pixel[0])));
        return write(pixels, packed, Colors::Grey);
    }
    if let Some(palette) = index(pixels, packed) {
        return write(pixels, packed, Colors::Palette(palette));
    }
    packed.clear();
    pixels.rows().for_each(|row| packed.extend(row.as_chunks::<3>().0.iter().flat_map(|&[b, g, r]| [r, g, b])));
    write(pixels, packed, Colors::Rgb)
}

enum Colors {
    Grey,
    Palette(Vec<u8>),
    Rgb,
}

fn is_grey(row: &[u8]) -> bool {
    // Without a way out inside the row, so that it becomes vector instructions.
    row.as_chunks::<3>().0.iter().fold(0, |seen, &[b, g, r]| seen | (b ^ g) | (g ^ r)) == 0
}

/// Pixels to numbers of colours in `packed`, and the palette; None at the 257th colour.
fn index(pixels: &Pixels<'_>, packed: &mut Vec<u8>) -> Option<Vec<u8>> {
    const SLOTS: usize = 1024;
    const FREE: u32 = u32::MAX;
    let mut slots = [(FREE, 0u8); SLOTS];
    let mut palette: Vec<u8> = Vec::with_capacity(768);
    let (mut last, mut number) = (FREE, 0u8);
    for row in pixels.rows() {
        for &[b, g, r] in row.as_chunks::<3>().0 {
            let color = u32::from_be_bytes([0, r, g, b]);
            if color != last {
                let mut slot = (color.wrapping_mul(0x9E37_79B1) >> 22) as usize;
                while slots[slot].0 != color && slots[slot].0 != FREE {
                    slot = (slot + 1) % SLOTS;
                }
                if slots[slot].0 == FREE {
                    slots[slot] = (color, u8::try_from(palette.len() / 3).ok()?);
                    palette.extend([r, g, b]);
                }
                (last, number) = (color, slots[slot].1);
            }
            packed.push(number);
        }
    }
    Some(palette)
}

fn write(pixels: &Pixels<'_>, packed: &[u8], colors: Colors) -> Result<Encoded, Failure> {
    let failure = |error: png::EncodingError| Failure::new(Kind::Internal, format!("cannot write the PNG: {error}"));
    let mut bytes = Vec::with_capacity(packed.len() / 8 + 1024);
    let mut encoder = Encoder::new(&mut bytes, pixels.width as u32, pixels.height as u32);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(1));
    encoder.set_filter(Filter::NoFilter);
    let mode = match colors {
        Colors::Grey => {
            encoder.set_color(ColorType::Grayscale);
            "L"
        }
        Colors::Palette(palette) => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(palette);
            "P"
        }
        Colors::Rgb => {
            encoder.set_color(ColorType::Rgb);
            "RGB"
        }
    };
    let mut writer = encoder.write_header().map_err(failure)?;
    writer.write_image_data(packed).map_err(failure)?;
    writer.finish().map_err(failure)?;
    Ok(Encoded { bytes, mode })
}
