//! Links, form fields and the structure tree of a page. The same as `quire.pages.render._pure_annotations`.

use crate::pagetext::{FieldInfo, LinkInfo, TagInfo};
use crate::pdfium::{Child, Element, Page};
use crate::text::Transform;

const MAX_TAGS: usize = 20_000;
const MAX_DEPTH: usize = 64;

/// Where links stand and where they lead.
pub fn read_links(page: &Page<'_>, transform: Transform) -> Vec<LinkInfo> {
    page.links()
        .filter_map(|link| {
            let place = transform.bounds(link.bounds()?);
            let (uri, page) = (link.uri(), link.page().map(|index| index + 1));
            (uri.is_some() || page.is_some()).then_some(LinkInfo { place, uri, page })
        })
        .collect()
}

/// The form fields of a page with their values.
pub fn read_fields(page: &Page<'_>, transform: Transform) -> Vec<FieldInfo> {
    page.widgets()
        .filter_map(|widget| {
            let kind = match widget.field_type() {
                1 => "button",
                2 => "checkbox",
                3 => "radio",
                4 | 5 => "choice",
                6 => "text",
                7 => "signature",
                _ => return None,
            };
            let place = transform.bounds(widget.bounds()?);
            let value = match kind {
                "checkbox" | "radio" if !widget.is_checked() => String::new(),
                "radio" => Some(widget.export_value()).filter(|told| !told.is_empty()).unwrap_or_else(|| "on".into()),
                "checkbox" => "on".into(),
                _ => widget.value(),
            };
            let name = Some(widget.alternate_name()).filter(|name| !name.is_empty()).unwrap_or_else(|| widget.name());
            Some(FieldInfo { place, kind, name, value })
        })
        .collect()
}

/// The structure elements that this page shows, in tree order.
pub fn read_tags(page: &Page<'_>) -> Vec<TagInfo> {
    let mut found = Vec::new();
    if let Some(tree) = page.structure() {
        tree.children().for_each(|element| tag(element, -1, &mut found, 0));
    }
    found
}

fn tag(element: Element<'_>, parent: i32, found: &mut Vec<TagInfo>, depth: usize) {
    if depth > MAX_DEPTH || found.len() >= MAX_TAGS {
        return;
    }
    let number = found.len();
    let span = |name| element.number(name).map_or(1, |number| (number as i32).clamp(1, 1000));
    found.push(TagInfo {
        kind: element.kind(),
        parent,
        mcids: Vec::new(),
        alternative: element.alternative(),
        row_span: span(c"RowSpan"),
        column_span: span(c"ColSpan"),
    });
    for child in element.children() {
        match child {
            Child::Content(mcid) => found[number].mcids.push(mcid),
            Child::Element(inner) => tag(inner, number as i32, found, depth + 1),
        }
    }
}
