//! Outline, metadata and sizes of a document.

use std::collections::HashSet;
use std::ffi::CStr;

use crate::failure::Failure;
use crate::pdfium::{Bookmark, Document};

const MOST_ENTRIES: usize = 20_000;
const DEEPEST: usize = 15;

const METADATA: [(&CStr, &str); 8] = [
    (c"Title", "title"),
    (c"Author", "author"),
    (c"Subject", "subject"),
    (c"Keywords", "keywords"),
    (c"Creator", "creator"),
    (c"Producer", "producer"),
    (c"CreationDate", "creationdate"),
    (c"ModDate", "moddate"),
];

/// Level from 1, title, page number from 1.
pub type Entry = (usize, String, Option<usize>);

pub fn outline(document: &Document) -> Vec<Entry> {
    let pages = document.page_count();
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let mut path: Vec<Bookmark<'_>> = Vec::new();
    let mut next = document.first_bookmark(None);
    loop {
        let current = match next.filter(|bookmark| seen.insert(bookmark.address())) {
            Some(bookmark) => bookmark,
            None => match path.pop() {
                Some(parent) => {
                    next = parent.next();
                    continue;
                }
                None => return entries,
            },
        };
        if entries.len() >= MOST_ENTRIES {
            return entries;
        }
        let page = current.page().filter(|&index| index < pages).map(|index| index + 1);
        entries.push((path.len() + 1, current.title(), page));
        let child = if path.len() + 1 < DEEPEST { document.first_bookmark(Some(current)) } else { None };
        if child.is_some() {
            path.push(current);
            next = child;
        } else {
            next = current.next();
        }
    }
}

/// What the file says of itself, without empty values, and what PDFium says of the file.
pub fn metadata(document: &Document) -> Vec<(&'static str, String)> {
    let yes_no = |value| if value { "yes" } else { "no" }.to_owned();
    let version = document.version().map_or_else(String::new, |version| format!("{}.{}", version / 10, version % 10));
    METADATA
        .iter()
        .map(|(key, name)| (*name, document.meta(key)))
        .filter(|(_, value)| !value.is_empty())
        .chain([
            ("pdf_version", version),
            ("encrypted", yes_no(document.encrypted())),
            ("tagged", yes_no(document.tagged())),
        ])
        .collect()
}

/// Displayed width and height in points, and rotation in degrees.
pub fn info(document: &Document, index: usize) -> Result<(f32, f32, u16), Failure> {
    let page = document.page(index)?;
    let (width, height) = page.size();
    Ok((width, height, page.rotation() * 90))
}
