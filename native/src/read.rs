//! A page to the bytes of its native text.

use std::sync::Arc;

use crate::annotations::{read_fields, read_links, read_tags};
use crate::failure::{Failure, Kind};
use crate::graphics::read_graphics;
use crate::pagetext::PageText;
use crate::pool::Worker;
use crate::source::Source;
use crate::text::{Glyphs, Transform, read_runs};

pub fn read(worker: &mut Worker, source: &Arc<Source>, index: usize, glyphs: &Glyphs) -> Result<Vec<u8>, Failure> {
    let document = worker.document(source)?;
    let page = document.page(index)?;
    let (width, height) = page.size();
    if !(width > 0.0 && width.is_finite() && height > 0.0 && height.is_finite()) {
        return Err(Failure::new(Kind::Limit, format!("the page is {width} by {height} points")));
    }
    let (transform, tagged) = (Transform::of(&page), document.tagged());
    let graphics = read_graphics(&page, transform);
    let runs = read_runs(&page.text()?, transform, &graphics.spans, tagged, glyphs);
    let text = PageText {
        number: index + 1,
        width,
        height,
        rotation: page.rotation() * 90,
        runs,
        graphics,
        links: read_links(&page, transform),
        fields: read_fields(&page, transform),
        tags: if tagged { read_tags(&page) } else { Vec::new() },
    };
    Ok(text.to_bytes())
}
