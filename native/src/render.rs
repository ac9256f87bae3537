//! A page to a PNG within limits of pixels and bytes.

use std::sync::Arc;
use std::time::Instant;

use crate::failure::{Failure, Kind};
use crate::pdfium::{Bitmap, Document, Format, Page};
use crate::png::{Encoded, Pixels, encode};
use crate::pool::Worker;
use crate::source::Source;

const LOWEST_DPI: u32 = 8;
const LOWER: f64 = 0.75; // the dpi of a picture that is too large is multiplied by this or less

#[derive(Clone, Copy)]
pub struct Options {
    pub dpi: u32,
    pub max_bytes: usize,
    pub max_pixels: u64,
    pub grey: bool,
}

pub struct Image {
    pub png: Vec<u8>,
    pub width: usize,
    pub height: usize,
    pub dpi: u32,
    pub mode: &'static str,
    pub render_ms: f64,
}

/// Draw and encode a page; again at a lower dpi as long as the PNG is larger than allowed.
pub fn render(worker: &mut Worker, source: &Arc<Source>, index: usize, options: &Options) -> Result<Image, Failure> {
    let started = Instant::now();
    let document = worker.document(source)?;
    let page = document.page(index)?;
    let mut dpi = options.dpi.max(1);
    loop {
        let size = pixel_size(&page, dpi, options.max_pixels)?;
        let encoded = draw(worker, &document, &page, size, options.grey)?;
        if encoded.bytes.len() <= options.max_bytes {
            let render_ms = started.elapsed().as_secs_f64() * 1000.0;
            let (width, height) = size;
            return Ok(Image { png: encoded.bytes, width, height, dpi, mode: encoded.mode, render_ms });
        }
        dpi = lower(dpi, encoded.bytes.len(), options.max_bytes)?;
    }
}

/// The size goes with the square of the dpi, about.
fn lower(dpi: u32, bytes: usize, limit: usize) -> Result<u32, Failure> {
    if dpi <= LOWEST_DPI {
        let message = format!("its picture has {bytes} bytes at {dpi} dpi, over the limit of {limit}");
        return Err(Failure::new(Kind::Limit, message));
    }
    let share = (limit as f64 / bytes as f64).sqrt();
    Ok(((f64::from(dpi) * share.min(LOWER)) as u32).max(LOWEST_DPI))
}

/// Width and height in pixels, checked before anything of that size exists.
fn pixel_size(page: &Page<'_>, dpi: u32, max_pixels: u64) -> Result<(usize, usize), Failure> {
    let (width, height) = page.size();
    let pixels = |points: f32| (f64::from(points) * (f64::from(dpi) / 72.0)).ceil();
    let (width, height) = (pixels(width), pixels(height));
    if !(width >= 1.0 && height >= 1.0) {
        return Err(Failure::new(Kind::Corrupt, "the page has no area"));
    }
    let largest = f64::from(i32::MAX / 4);
    if width * height > max_pixels as f64 || width > largest || height > largest {
        let message =
            format!("{width:.0} x {height:.0} pixels at {dpi} dpi pass the limit of {max_pixels}; ask for a lower dpi");
        return Err(Failure::new(Kind::Limit, message));
    }
    Ok((width as usize, height as usize))
}

fn draw(
    worker: &mut Worker,
    document: &Document,
    page: &Page<'_>,
    (width, height): (usize, usize),
    grey: bool,
) -> Result<Encoded, Failure> {
    let format = if grey { Format::Grey } else { Format::Bgr };
    let stride = format.stride(width);
    let bytes = stride * height;
    worker.pixels.clear();
    let no_memory = |_| Failure::new(Kind::Limit, format!("no memory for a picture of {width} × {height} pixels"));
    worker.pixels.try_reserve_exact(bytes).map_err(no_memory)?;
    worker.packed.clear();
    worker.packed.try_reserve_exact(width * format.bytes() * height).map_err(no_memory)?;
    worker.pixels.resize(bytes, 0xFF);
    let mut bitmap = Bitmap::new(document, &mut worker.pixels, (width, height), format)
        .ok_or_else(|| Failure::new(Kind::Limit, format!("PDFium refuses a picture of {width} × {height} pixels")))?;
    page.draw(&mut bitmap);
    drop(bitmap);
    let pixels = Pixels { bytes: &worker.pixels, width, height, stride, grey };
    encode(&pixels, &mut worker.packed)
}
