//! PDFium behind safe handles: the only file with `unsafe`.
//!
//! The state of PDFium is global to the loaded library, so every [`Pdfium`] is loaded from a copy of the file of its
//! own and stays on the thread that loaded it: none of the types here is `Send`. A handle borrows what it was made
//! from, so that nothing is used after it is closed. No function keeps a pointer of the caller, except that of the
//! document's bytes and of a bitmap's pixels, both of which the handle owns or borrows.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_double, c_float, c_int, c_uint, c_ulong, c_void};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null, null_mut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Kind};
use crate::source::{Content, Source};

type Raw = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RectF {
    left: c_float,
    top: c_float,
    right: c_float,
    bottom: c_float,
}

/// A transformation as PDF writes it: x' = a x + c y + e, y' = b x + d y + f.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Matrix {
    pub a: f32,
    pub b: f32,
    pub c: f32,
    pub d: f32,
    pub e: f32,
    pub f: f32,
}

/// A box in the user space of a page, y upwards.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Bounds {
    pub left: f32,
    pub bottom: f32,
    pub right: f32,
    pub top: f32,
}

#[repr(C)]
struct LibraryConfig {
    version: c_int,
    user_font_paths: *const *const c_char,
    isolate: *mut c_void,
    v8_embedder_slot: c_uint,
}

/// `FPDF_FORMFILLINFO` of version 1: no callback is set, and PDFium asks before it calls one.
#[repr(C)]
struct FormInfo {
    version: c_int,
    callbacks: [*mut c_void; 40],
}

/// `FPDF_FILEWRITE` of version 1, with what was written so far; none after more than `most`.
#[repr(C)]
struct FileWrite {
    version: c_int,
    write: unsafe extern "C" fn(*mut FileWrite, *const c_void, c_ulong) -> c_int,
    written: Option<Vec<u8>>,
    most: usize,
}

/// # Safety
/// Called by PDFium only, with the writer that it was given and bytes of its own.
unsafe extern "C" fn write_block(writer: *mut FileWrite, data: *const c_void, size: c_ulong) -> c_int {
    // SAFETY: the caller's promise; nobody else uses the writer while PDFium saves.
    let (writer, data) = unsafe { (&mut *writer, std::slice::from_raw_parts(data.cast::<u8>(), size as usize)) };
    let most = writer.most;
    writer.written = writer.written.take().filter(|written| written.len() + data.len() <= most);
    if let Some(written) = &mut writer.written {
        written.extend_from_slice(data);
    }
    writer.written.is_some().into()
}

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }

        impl Functions {
            /// # Safety
            /// `library` must be a PDFium whose functions have these types (checked against its headers).
            unsafe fn of(library: &libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller's promise; the pointers are not used after the library is closed, since
                    // `Pdfium` owns both.
                    $($name: unsafe { *library.get(concat!(stringify!($name), "\0"))? },)*
                })
            }
        }
    };
}

functions! {
    FPDF_InitLibraryWithConfig(*const LibraryConfig);
    FPDF_DestroyLibrary();
    FPDF_GetLastError() -> c_ulong;
    FPDF_LoadDocument(*const c_char, *const c_char) -> Raw;
    FPDF_LoadMemDocument64(*const c_void, usize, *const c_char) -> Raw;
    FPDF_CloseDocument(Raw);
    FPDF_GetPageCount(Raw) -> c_int;
    FPDF_GetDocPermissions(Raw) -> c_ulong;
    FPDF_GetFileVersion(Raw, *mut c_int) -> c_int;
    FPDF_GetSecurityHandlerRevision(Raw) -> c_int;
    FPDF_GetMetaText(Raw, *const c_char, *mut c_void, c_ulong) -> c_ulong;
    FPDFCatalog_IsTagged(Raw) -> c_int;
    FPDF_SaveAsCopy(Raw, *mut FileWrite, c_ulong) -> c_int;
    FPDF_GetFormType(Raw) -> c_int;
    FPDFDOC_InitFormFillEnvironment(Raw, *mut FormInfo) -> Raw;
    FPDFDOC_ExitFormFillEnvironment(Raw);
    FORM_OnAfterLoadPage(Raw, Raw);
    FORM_OnBeforeClosePage(Raw, Raw);
    FPDFBookmark_GetFirstChild(Raw, Raw) -> Raw;
    FPDFBookmark_GetNextSibling(Raw, Raw) -> Raw;
    FPDFBookmark_GetTitle(Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDFBookmark_GetDest(Raw, Raw) -> Raw;
    FPDFBookmark_GetAction(Raw) -> Raw;
    FPDFAction_GetDest(Raw, Raw) -> Raw;
    FPDFAction_GetType(Raw) -> c_ulong;
    FPDFAction_GetURIPath(Raw, Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDFDest_GetDestPageIndex(Raw, Raw) -> c_int;
    FPDF_LoadPage(Raw, c_int) -> Raw;
    FPDF_ClosePage(Raw);
    FPDF_GetPageWidthF(Raw) -> c_float;
    FPDF_GetPageHeightF(Raw) -> c_float;
    FPDFPage_GetRotation(Raw) -> c_int;
    FPDF_GetPageBoundingBox(Raw, *mut RectF) -> c_int;
    FPDF_RenderPageBitmap(Raw, Raw, c_int, c_int, c_int, c_int, c_int, c_int);
    FPDF_FFLDraw(Raw, Raw, Raw, c_int, c_int, c_int, c_int, c_int, c_int);
    FPDFBitmap_CreateEx(c_int, c_int, c_int, *mut c_void, c_int) -> Raw;
    FPDFBitmap_Destroy(Raw);
    FPDFText_LoadPage(Raw) -> Raw;
    FPDFText_ClosePage(Raw);
    FPDFText_CountChars(Raw) -> c_int;
    FPDFText_GetUnicode(Raw, c_int) -> c_uint;
    FPDFText_IsGenerated(Raw, c_int) -> c_int;
    FPDFText_IsHyphen(Raw, c_int) -> c_int;
    FPDFText_HasUnicodeMapError(Raw, c_int) -> c_int;
    FPDFText_GetTextObject(Raw, c_int) -> Raw;
    FPDFText_GetLooseCharBox(Raw, c_int, *mut RectF) -> c_int;
    FPDFText_GetCharBox(Raw, c_int, *mut c_double, *mut c_double, *mut c_double, *mut c_double) -> c_int;
    FPDFText_GetCharOrigin(Raw, c_int, *mut c_double, *mut c_double) -> c_int;
    FPDFText_GetMatrix(Raw, c_int, *mut Matrix) -> c_int;
    FPDFText_GetFontSize(Raw, c_int) -> c_double;
    FPDFText_GetFillColor(Raw, c_int, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    FPDFTextObj_GetTextRenderMode(Raw) -> c_int;
    FPDFTextObj_GetFontSize(Raw, *mut c_float) -> c_int;
    FPDFTextObj_GetFont(Raw) -> Raw;
    FPDFFont_GetBaseFontName(Raw, *mut c_char, usize) -> usize;
    FPDFFont_GetFlags(Raw) -> c_int;
    FPDFFont_GetWeight(Raw) -> c_int;
    FPDFPage_CountObjects(Raw) -> c_int;
    FPDFPage_GetObject(Raw, c_int) -> Raw;
    FPDFFormObj_CountObjects(Raw) -> c_int;
    FPDFFormObj_GetObject(Raw, c_ulong) -> Raw;
    FPDFPageObj_GetType(Raw) -> c_int;
    FPDFPageObj_GetMatrix(Raw, *mut Matrix) -> c_int;
    FPDFPageObj_GetMarkedContentID(Raw) -> c_int;
    FPDFPageObj_GetBounds(Raw, *mut c_float, *mut c_float, *mut c_float, *mut c_float) -> c_int;
    FPDFPageObj_CountMarks(Raw) -> c_int;
    FPDFPageObj_GetMark(Raw, c_ulong) -> Raw;
    FPDFPageObjMark_GetParamBlobValue(Raw, *const c_char, *mut c_void, c_ulong, *mut c_ulong) -> c_int;
    FPDFPageObj_GetFillColor(Raw, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    FPDFPageObj_GetStrokeWidth(Raw, *mut c_float) -> c_int;
    FPDFPath_GetDrawMode(Raw, *mut c_int, *mut c_int) -> c_int;
    FPDFPath_CountSegments(Raw) -> c_int;
    FPDFPath_GetPathSegment(Raw, c_int) -> Raw;
    FPDFPathSegment_GetPoint(Raw, *mut c_float, *mut c_float) -> c_int;
    FPDFPathSegment_GetType(Raw) -> c_int;
    FPDFPathSegment_GetClose(Raw) -> c_int;
    FPDFLink_Enumerate(Raw, *mut c_int, *mut Raw) -> c_int;
    FPDFLink_GetAnnotRect(Raw, *mut RectF) -> c_int;
    FPDFLink_GetAction(Raw) -> Raw;
    FPDFLink_GetDest(Raw, Raw) -> Raw;
    FPDFPage_GetAnnotCount(Raw) -> c_int;
    FPDFPage_GetAnnot(Raw, c_int) -> Raw;
    FPDFPage_CloseAnnot(Raw);
    FPDFAnnot_GetSubtype(Raw) -> c_int;
    FPDFAnnot_GetRect(Raw, *mut RectF) -> c_int;
    FPDFAnnot_GetFormFieldType(Raw, Raw) -> c_int;
    FPDFAnnot_IsChecked(Raw, Raw) -> c_int;
    FPDFAnnot_GetFormFieldValue(Raw, Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDFAnnot_GetFormFieldExportValue(Raw, Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDFAnnot_GetFormFieldName(Raw, Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDFAnnot_GetFormFieldAlternateName(Raw, Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDF_StructTree_GetForPage(Raw) -> Raw;
    FPDF_StructTree_Close(Raw);
    FPDF_StructTree_CountChildren(Raw) -> c_int;
    FPDF_StructTree_GetChildAtIndex(Raw, c_int) -> Raw;
    FPDF_StructElement_GetType(Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDF_StructElement_GetAltText(Raw, *mut c_void, c_ulong) -> c_ulong;
    FPDF_StructElement_CountChildren(Raw) -> c_int;
    FPDF_StructElement_GetChildAtIndex(Raw, c_int) -> Raw;
    FPDF_StructElement_GetChildMarkedContentID(Raw, c_int) -> c_int;
    FPDF_StructElement_GetAttributeCount(Raw) -> c_int;
    FPDF_StructElement_GetAttributeAtIndex(Raw, c_int) -> Raw;
    FPDF_StructElement_Attr_GetValue(Raw, *const c_char) -> Raw;
    FPDF_StructElement_Attr_GetNumberValue(Raw, *mut c_float) -> c_int;
}

/// One private PDFium. Dropped last, after every document opened with it.
pub struct Pdfium {
    call: Functions,
    _library: libloading::Library,
    _not_send: PhantomData<*mut ()>,
}

impl Pdfium {
    /// Load a private copy of the library at `path`.
    ///
    /// Two loads of one file share their state; so do links to it. A real copy does not. It is deleted at once: the
    /// mapping keeps it.
    pub fn load(path: &Path) -> Result<Rc<Self>, Failure> {
        let mut trouble = String::new();
        for folder in [std::env::temp_dir(), PathBuf::from("/dev/shm"), PathBuf::from("/var/tmp")] {
            match Self::load_in(&folder, path) {
                Ok(pdfium) => return Ok(Rc::new(pdfium)),
                Err(reason) if trouble.is_empty() => trouble = reason,
                Err(_) => {}
            }
        }
        Err(Failure::new(Kind::Internal, format!("cannot load PDFium: {trouble}")))
    }

    fn load_in(folder: &Path, path: &Path) -> Result<Self, String> {
        let copy = PrivateCopy::make(folder, path).map_err(|error| format!("{}: {error}", folder.display()))?;
        let library = copy.open().map_err(|error| error.to_string())?;
        // SAFETY: the file is PDFium's; the types of `Functions` follow its headers.
        let call = unsafe { Functions::of(&library) }.map_err(|error| error.to_string())?;
        let config = LibraryConfig { version: 2, user_font_paths: null(), isolate: null_mut(), v8_embedder_slot: 0 };
        // SAFETY: called once per copy, before anything else; PDFium copies what it needs.
        unsafe { (call.FPDF_InitLibraryWithConfig)(&config) };
        Ok(Self { call, _library: library, _not_send: PhantomData })
    }

    fn last_error(&self) -> c_ulong {
        // SAFETY: reads a number that PDFium keeps.
        unsafe { (self.call.FPDF_GetLastError)() }
    }
}

impl Drop for Pdfium {
    fn drop(&mut self) {
        // SAFETY: documents hold an `Rc` of this, so none is open any more.
        unsafe { (self.call.FPDF_DestroyLibrary)() };
    }
}

struct PrivateCopy(PathBuf);

impl PrivateCopy {
    fn make(folder: &Path, library: &Path) -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let copy = Self(folder.join(format!("quire-pdfium-{}-{time:x}-{number}", std::process::id())));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true); // never through a link that someone else put there
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        std::io::copy(&mut std::fs::File::open(library)?, &mut options.open(&copy.0)?)?;
        Ok(copy)
    }

    #[cfg(unix)]
    fn open(&self) -> Result<libloading::Library, libloading::Error> {
        use libloading::os::unix;
        // SAFETY: PDFium has no initialisers with conditions on the thread or on what was loaded before.
        unsafe { unix::Library::open(Some(&self.0), unix::RTLD_NOW | unix::RTLD_LOCAL) }.map(Into::into)
    }

    #[cfg(not(unix))]
    fn open(&self) -> Result<libloading::Library, libloading::Error> {
        // SAFETY: as above.
        unsafe { libloading::Library::new(&self.0) }
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0); // where a loaded library cannot be removed, it stays in the temp folder
    }
}

/// A text that PDFium writes as UTF-16 into a buffer whose size it tells first. Longer ones are cut.
fn wide(mut fill: impl FnMut(*mut c_void, c_ulong) -> c_ulong) -> String {
    const MOST: usize = 1 << 20;
    let bytes = (fill(null_mut(), 0) as usize).min(MOST);
    let mut buffer = vec![0u16; bytes.div_ceil(2)];
    let room = (buffer.len() * 2) as c_ulong;
    if room == 0 || fill(buffer.as_mut_ptr().cast(), room) > room {
        return String::new();
    }
    let end = buffer.iter().position(|&unit| unit == 0).unwrap_or(buffer.len());
    String::from_utf16_lossy(&buffer[..end]).trim().to_owned()
}

/// The same in bytes, as UTF-8.
fn narrow(mut fill: impl FnMut(*mut c_char, usize) -> usize) -> String {
    const MOST: usize = 1 << 20;
    let length = fill(null_mut(), 0).min(MOST);
    let mut buffer = vec![0u8; length];
    if length == 0 || fill(buffer.as_mut_ptr().cast(), length) > length {
        return String::new();
    }
    let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(length);
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}

struct Form {
    handle: NonNull<c_void>,
    _info: Box<FormInfo>,
}

/// An opened document. Keeps its bytes and its PDFium.
pub struct Document {
    handle: NonNull<c_void>,
    form: Option<Form>,
    pdfium: Rc<Pdfium>,
    source: Arc<Source>,
}

impl Document {
    pub fn open(pdfium: Rc<Pdfium>, source: Arc<Source>) -> Result<Self, Failure> {
        let password = match &source.password {
            Some(text) => Some(CString::new(text.as_str()).map_err(|_| wrong_password())?),
            None => None,
        };
        let password = password.as_deref().map_or(null(), CStr::as_ptr);
        let handle = match &source.content {
            Content::File(path) => {
                let path = CString::new(path.as_os_str().as_encoded_bytes())
                    .map_err(|_| Failure::new(Kind::Corrupt, "its name holds a NUL character"))?;
                // SAFETY: both are terminated strings that PDFium copies.
                unsafe { (pdfium.call.FPDF_LoadDocument)(path.as_ptr(), password) }
            }
            Content::Memory(_) | Content::Python(_) => {
                let bytes = source.content.bytes();
                // SAFETY: PDFium reads the bytes until the document is closed; `source` keeps them that long.
                unsafe { (pdfium.call.FPDF_LoadMemDocument64)(bytes.as_ptr().cast(), bytes.len(), password) }
            }
        };
        let Some(handle) = NonNull::new(handle) else {
            return Err(open_failure(pdfium.last_error(), source.password.is_some()));
        };
        let mut document = Self { handle, form: None, pdfium, source };
        document.form = document.load_form();
        Ok(document)
    }

    fn load_form(&self) -> Option<Form> {
        // SAFETY: the document is open.
        if unsafe { (self.call().FPDF_GetFormType)(self.raw()) } == 0 {
            return None;
        }
        let mut info = Box::new(FormInfo { version: 1, callbacks: [null_mut(); 40] });
        // SAFETY: PDFium keeps the pointer until the form is closed; the box lives as long as the form.
        let handle = unsafe { (self.call().FPDFDOC_InitFormFillEnvironment)(self.raw(), &mut *info) };
        NonNull::new(handle).map(|handle| Form { handle, _info: info })
    }

    fn call(&self) -> &Functions {
        &self.pdfium.call
    }

    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    pub fn page_count(&self) -> usize {
        // SAFETY: the document is open.
        usize::try_from(unsafe { (self.call().FPDF_GetPageCount)(self.raw()) }).unwrap_or(0)
    }

    pub fn encrypted(&self) -> bool {
        // SAFETY: the document is open.
        unsafe { (self.call().FPDF_GetSecurityHandlerRevision)(self.raw()) >= 0 }
    }

    /// The permission bits of the standard security handler (ISO 32000-1, table 22); all set when not encrypted.
    pub fn permissions(&self) -> u32 {
        // SAFETY: the document is open.
        unsafe { (self.call().FPDF_GetDocPermissions)(self.raw()) as u32 }
    }

    /// 14 for PDF 1.4.
    pub fn version(&self) -> Option<u32> {
        let mut version = 0;
        // SAFETY: the document is open; PDFium writes one number.
        let found = unsafe { (self.call().FPDF_GetFileVersion)(self.raw(), &mut version) };
        u32::try_from(version).ok().filter(|&version| found != 0 && version > 0)
    }

    pub fn tagged(&self) -> bool {
        // SAFETY: the document is open.
        unsafe { (self.call().FPDFCatalog_IsTagged)(self.raw()) != 0 }
    }

    pub fn meta(&self, key: &CStr) -> String {
        // SAFETY: PDFium writes at most as many bytes as it is told.
        wide(|buffer, room| unsafe { (self.call().FPDF_GetMetaText)(self.raw(), key.as_ptr(), buffer, room) })
    }

    pub fn first_bookmark(&self, parent: Option<Bookmark<'_>>) -> Option<Bookmark<'_>> {
        let parent = parent.map_or(null_mut(), |bookmark| bookmark.handle.as_ptr());
        // SAFETY: the document is open; bookmarks live as long as it.
        let handle = unsafe { (self.call().FPDFBookmark_GetFirstChild)(self.raw(), parent) };
        NonNull::new(handle).map(|handle| Bookmark { handle, document: self })
    }

    /// Load a page by its index. Hostile pages can take long: PDFium cannot be interrupted.
    /// The document as PDFium understands it: decrypted, each object by itself, with a cross-reference table.
    ///
    /// None when that has more than `most` bytes. Objects are read and dropped: use a document of its own for this.
    pub fn plain(&self, most: usize) -> Option<Vec<u8>> {
        const REMOVE_SECURITY: c_ulong = 3;
        let mut writer = FileWrite { version: 1, write: write_block, written: Some(Vec::new()), most };
        // SAFETY: the document is open; PDFium uses the writer during this call only.
        let saved = unsafe { (self.call().FPDF_SaveAsCopy)(self.raw(), &mut writer, REMOVE_SECURITY) };
        writer.written.filter(|_| saved != 0) // PDFium may say that it has saved what the writer refused
    }

    pub fn page(&self, index: usize) -> Result<Page<'_>, Failure> {
        let number = c_int::try_from(index).unwrap_or(c_int::MAX);
        // SAFETY: the document is open; PDFium checks the index.
        let handle = unsafe { (self.call().FPDF_LoadPage)(self.raw(), number) };
        let Some(handle) = NonNull::new(handle) else {
            return Err(Failure::new(Kind::Corrupt, "the page cannot be loaded"));
        };
        if let Some(form) = &self.form {
            // SAFETY: both are open, and of one document.
            unsafe { (self.call().FORM_OnAfterLoadPage)(handle.as_ptr(), form.handle.as_ptr()) };
        }
        Ok(Page { handle, document: self })
    }
}

impl Drop for Document {
    fn drop(&mut self) {
        // SAFETY: pages borrow the document, so none is open; the form is closed before the document.
        unsafe {
            if let Some(form) = self.form.take() {
                (self.pdfium.call.FPDFDOC_ExitFormFillEnvironment)(form.handle.as_ptr());
            }
            (self.pdfium.call.FPDF_CloseDocument)(self.handle.as_ptr());
        }
    }
}

fn wrong_password() -> Failure {
    Failure::new(Kind::Password, "the password is wrong")
}

/// `FPDF_GetLastError` after a document did not open.
fn open_failure(code: c_ulong, with_password: bool) -> Failure {
    match code {
        4 if with_password => wrong_password(),
        4 => Failure::new(Kind::Password, "is encrypted; pass its password"),
        5 => Failure::new(Kind::Unsupported, "is encrypted in a way that PDFium does not know"),
        2 => Failure::new(Kind::Corrupt, "cannot be opened as a file"),
        _ => Failure::new(Kind::Corrupt, "is not a PDF that can be opened: damaged or cut off"),
    }
}

#[derive(Clone, Copy)]
pub struct Bookmark<'d> {
    handle: NonNull<c_void>,
    document: &'d Document,
}

impl<'d> Bookmark<'d> {
    /// The same bookmark has the same address: files with a cycle in their outline exist.
    pub fn address(&self) -> usize {
        self.handle.as_ptr() as usize
    }

    pub fn next(&self) -> Option<Bookmark<'d>> {
        let document = self.document;
        // SAFETY: bookmarks live as long as their document.
        let handle = unsafe { (document.call().FPDFBookmark_GetNextSibling)(document.raw(), self.handle.as_ptr()) };
        NonNull::new(handle).map(|handle| Bookmark { handle, document })
    }

    pub fn title(&self) -> String {
        // SAFETY: PDFium writes at most as many bytes as it is told.
        wide(|buffer, room| unsafe { (self.document.call().FPDFBookmark_GetTitle)(self.handle.as_ptr(), buffer, room) })
    }

    /// The index of the page to which it leads.
    pub fn page(&self) -> Option<usize> {
        let (call, document) = (self.document.call(), self.document.raw());
        // SAFETY: destinations and actions live as long as their document.
        unsafe {
            let dest = (call.FPDFBookmark_GetDest)(document, self.handle.as_ptr());
            let action = || NonNull::new((call.FPDFBookmark_GetAction)(self.handle.as_ptr()));
            self.document.page_of(NonNull::new(dest), action)
        }
    }
}

impl Document {
    /// The index of the page that a destination or, without one, an action leads to.
    ///
    /// # Safety
    /// Both must be of this document.
    unsafe fn page_of(
        &self,
        dest: Option<NonNull<c_void>>,
        action: impl FnOnce() -> Option<NonNull<c_void>>,
    ) -> Option<usize> {
        // SAFETY: the caller's promise.
        let index = unsafe {
            let by_action = || NonNull::new((self.call().FPDFAction_GetDest)(self.raw(), action()?.as_ptr()));
            (self.call().FPDFDest_GetDestPageIndex)(self.raw(), dest.or_else(by_action)?.as_ptr())
        };
        usize::try_from(index).ok()
    }
}

/// A loaded page.
pub struct Page<'d> {
    handle: NonNull<c_void>,
    document: &'d Document,
}

impl<'d> Page<'d> {
    fn call(&self) -> &'d Functions {
        self.document.call()
    }

    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    /// Displayed width and height in points.
    pub fn size(&self) -> (f32, f32) {
        // SAFETY: the page is open.
        unsafe { ((self.call().FPDF_GetPageWidthF)(self.raw()), (self.call().FPDF_GetPageHeightF)(self.raw())) }
    }

    /// Quarter turns clockwise with which the page is displayed.
    pub fn rotation(&self) -> u16 {
        // SAFETY: the page is open.
        (unsafe { (self.call().FPDFPage_GetRotation)(self.raw()) }).rem_euclid(4) as u16
    }

    /// The part of the user space that is displayed: crop box within media box.
    pub fn bounding_box(&self) -> Option<Bounds> {
        let mut rect = RectF::default();
        // SAFETY: the page is open; PDFium writes one rectangle.
        let found = unsafe { (self.call().FPDF_GetPageBoundingBox)(self.raw(), &mut rect) };
        (found != 0).then_some(Bounds { left: rect.left, bottom: rect.bottom, right: rect.right, top: rect.top })
    }

    /// Draw the page, its annotations and the values of its form over all of `bitmap`.
    pub fn draw(&self, bitmap: &mut Bitmap<'_>) {
        const ANNOTATIONS: c_int = 0x01;
        const GREY: c_int = 0x08;
        let flags = ANNOTATIONS | if bitmap.format == Format::Grey { GREY } else { 0 };
        let (width, height) = (bitmap.width, bitmap.height);
        // SAFETY: page, form and bitmap are open; the bitmap's memory is borrowed mutably.
        unsafe {
            (self.call().FPDF_RenderPageBitmap)(bitmap.raw(), self.raw(), 0, 0, width, height, 0, flags);
            if let Some(form) = &self.document.form {
                let form = form.handle.as_ptr();
                (self.call().FPDF_FFLDraw)(form, bitmap.raw(), self.raw(), 0, 0, width, height, 0, flags);
            }
        }
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        // SAFETY: the page is open, and closed only here; what was made from it borrows it.
        unsafe {
            if let Some(form) = &self.document.form {
                (self.document.call().FORM_OnBeforeClosePage)(self.handle.as_ptr(), form.handle.as_ptr());
            }
            (self.document.call().FPDF_ClosePage)(self.handle.as_ptr());
        }
    }
}

/// How the pixels of a bitmap lie in memory. The numbers are PDFium's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Grey = 1,
    Bgr = 2,
}

impl Format {
    pub fn bytes(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::Bgr => 3,
        }
    }

    /// Bytes of a row: PDFium wants a multiple of 4.
    pub fn stride(self, width: usize) -> usize {
        (width * self.bytes()).next_multiple_of(4)
    }
}

/// Pixels that PDFium draws on, in memory of the caller.
pub struct Bitmap<'p> {
    handle: NonNull<c_void>,
    format: Format,
    width: c_int,
    height: c_int,
    pdfium: &'p Pdfium,
    _pixels: PhantomData<&'p mut [u8]>,
}

impl<'p> Bitmap<'p> {
    /// None when `pixels` is too short for the size, or PDFium refuses it.
    pub fn new(document: &'p Document, pixels: &'p mut [u8], size: (usize, usize), format: Format) -> Option<Self> {
        let stride = format.stride(size.0);
        if pixels.len() < stride.checked_mul(size.1)? {
            return None;
        }
        let (width, height) = (c_int::try_from(size.0).ok()?, c_int::try_from(size.1).ok()?);
        let (stride, pdfium) = (c_int::try_from(stride).ok()?, &*document.pdfium);
        // SAFETY: the memory holds `height` rows of `stride` bytes and is borrowed as long as the bitmap.
        let handle = unsafe {
            (pdfium.call.FPDFBitmap_CreateEx)(width, height, format as c_int, pixels.as_mut_ptr().cast(), stride)
        };
        NonNull::new(handle).map(|handle| Self { handle, format, width, height, pdfium, _pixels: PhantomData })
    }

    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }
}

impl Drop for Bitmap<'_> {
    fn drop(&mut self) {
        // SAFETY: open, and closed only here; PDFium does not free memory it was given.
        unsafe { (self.pdfium.call.FPDFBitmap_Destroy)(self.handle.as_ptr()) };
    }
}

/// A number of things, as PDFium counts them: negative for an error.
fn count(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn index(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

impl From<RectF> for Bounds {
    fn from(rect: RectF) -> Self {
        Self { left: rect.left, bottom: rect.bottom, right: rect.right, top: rect.top }
    }
}

/// A colour and its opacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color {
    /// 0xRRGGBB
    pub rgb: u32,
    pub alpha: u32,
}

fn color(fill: impl FnOnce(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int) -> Color {
    let (mut r, mut g, mut b, mut alpha) = (0, 0, 0, 255);
    fill(&mut r, &mut g, &mut b, &mut alpha);
    Color { rgb: (r & 255) << 16 | (g & 255) << 8 | (b & 255), alpha }
}

impl<'d> Page<'d> {
    pub fn text(&self) -> Result<TextPage<'_>, Failure> {
        // SAFETY: the page is open.
        let handle = unsafe { (self.call().FPDFText_LoadPage)(self.raw()) };
        match NonNull::new(handle) {
            Some(handle) => Ok(TextPage { handle, page: self }),
            None => Err(Failure::new(Kind::Corrupt, "the text of the page cannot be read")),
        }
    }

    /// What is on the page, in the order of drawing.
    pub fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        // SAFETY: the page is open, and objects live as long as it.
        let length = count(unsafe { (self.call().FPDFPage_CountObjects)(self.raw()) });
        (0..length).filter_map(move |number| {
            // SAFETY: as above; PDFium checks the index.
            let handle = unsafe { (self.call().FPDFPage_GetObject)(self.raw(), index(number)) };
            NonNull::new(handle).map(|handle| Object { handle, call: self.call(), _page: PhantomData })
        })
    }

    pub fn links(&self) -> impl Iterator<Item = Link<'_>> {
        let mut position = 0;
        std::iter::from_fn(move || {
            let mut handle = null_mut();
            // SAFETY: the page is open; PDFium keeps its place in `position`.
            let more = unsafe { (self.call().FPDFLink_Enumerate)(self.raw(), &mut position, &mut handle) };
            if more == 0 {
                return None;
            }
            NonNull::new(handle).map(|handle| Link { handle, document: self.document, _page: PhantomData })
        })
    }

    /// The widgets of the document's form on this page; none without a form.
    pub fn widgets(&self) -> impl Iterator<Item = Widget<'_>> {
        const WIDGET: c_int = 20;
        let form = self.document.form.as_ref().map(|form| form.handle);
        // SAFETY: the page is open.
        let annotations = || count(unsafe { (self.call().FPDFPage_GetAnnotCount)(self.raw()) });
        let length = if form.is_some() { annotations() } else { 0 };
        (0..length).filter_map(move |number| {
            // SAFETY: as above; PDFium checks the index.
            let handle = unsafe { (self.call().FPDFPage_GetAnnot)(self.raw(), index(number)) };
            let widget = Widget { handle: NonNull::new(handle)?, form: form?, page: self };
            // SAFETY: the annotation is open until `widget` is dropped.
            (unsafe { (self.call().FPDFAnnot_GetSubtype)(widget.handle.as_ptr()) } == WIDGET).then_some(widget)
        })
    }

    pub fn structure(&self) -> Option<StructureTree<'_>> {
        // SAFETY: the page is open.
        let handle = unsafe { (self.call().FPDF_StructTree_GetForPage)(self.raw()) };
        NonNull::new(handle).map(|handle| StructureTree { handle, page: self })
    }
}

/// The characters of a page, numbered from 0. PDFium checks every index.
pub struct TextPage<'p> {
    handle: NonNull<c_void>,
    page: &'p Page<'p>,
}

impl<'p> TextPage<'p> {
    fn call(&self) -> &'p Functions {
        self.page.call()
    }

    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    pub fn len(&self) -> c_int {
        // SAFETY: the text page is open; so in all that follow.
        unsafe { (self.call().FPDFText_CountChars)(self.raw()) }.max(0)
    }

    pub fn unicode(&self, index: c_int) -> u32 {
        // SAFETY: see `len`.
        unsafe { (self.call().FPDFText_GetUnicode)(self.raw(), index) }
    }

    /// A space or line break that PDFium made up.
    pub fn is_generated(&self, index: c_int) -> bool {
        // SAFETY: see `len`.
        unsafe { (self.call().FPDFText_IsGenerated)(self.raw(), index) != 0 }
    }

    /// The code of a glyph, for which PDFium knows no character.
    pub fn is_raw(&self, index: c_int) -> bool {
        // SAFETY: see `len`.
        unsafe { (self.call().FPDFText_HasUnicodeMapError)(self.raw(), index) == 1 }
    }

    pub fn is_hyphen(&self, index: c_int) -> bool {
        // SAFETY: see `len`.
        unsafe { (self.call().FPDFText_IsHyphen)(self.raw(), index) == 1 }
    }

    /// The text object that the character is part of.
    pub fn object(&self, index: c_int) -> Option<Object<'p>> {
        // SAFETY: see `len`; objects live as long as the page.
        let handle = unsafe { (self.call().FPDFText_GetTextObject)(self.raw(), index) };
        NonNull::new(handle).map(|handle| Object { handle, call: self.call(), _page: PhantomData })
    }

    /// The box of advance width, font ascent and descent.
    pub fn loose_box(&self, index: c_int) -> Option<Bounds> {
        let mut rect = RectF::default();
        // SAFETY: see `len`; PDFium writes one rectangle.
        let found = unsafe { (self.call().FPDFText_GetLooseCharBox)(self.raw(), index, &mut rect) };
        (found != 0).then(|| rect.into())
    }

    /// The box of what is drawn.
    pub fn ink_box(&self, index: c_int) -> Option<Bounds> {
        let (mut left, mut right, mut bottom, mut top) = (0.0, 0.0, 0.0, 0.0);
        // SAFETY: see `len`; PDFium writes four numbers.
        let found = unsafe {
            (self.call().FPDFText_GetCharBox)(self.raw(), index, &mut left, &mut right, &mut bottom, &mut top)
        };
        let [left, bottom, right, top] = [left, bottom, right, top].map(|value| value as f32); // as PDFium has them
        (found != 0).then_some(Bounds { left, bottom, right, top })
    }

    pub fn origin(&self, index: c_int) -> (f64, f64) {
        let (mut x, mut y) = (0.0, 0.0);
        // SAFETY: see `len`; PDFium writes two numbers.
        unsafe { (self.call().FPDFText_GetCharOrigin)(self.raw(), index, &mut x, &mut y) };
        (x, y)
    }

    pub fn matrix(&self, index: c_int) -> Matrix {
        let mut matrix = Matrix { a: 1.0, d: 1.0, ..Matrix::default() };
        // SAFETY: see `len`; PDFium writes one matrix.
        unsafe { (self.call().FPDFText_GetMatrix)(self.raw(), index, &mut matrix) };
        matrix
    }

    pub fn font_size(&self, index: c_int) -> f64 {
        // SAFETY: see `len`.
        unsafe { (self.call().FPDFText_GetFontSize)(self.raw(), index) }
    }

    pub fn fill_color(&self, index: c_int) -> Color {
        // SAFETY: see `len`; PDFium writes four numbers.
        color(|r, g, b, a| unsafe { (self.call().FPDFText_GetFillColor)(self.raw(), index, r, g, b, a) })
    }
}

impl Drop for TextPage<'_> {
    fn drop(&mut self) {
        // SAFETY: open, and closed only here.
        unsafe { (self.call().FPDFText_ClosePage)(self.raw()) };
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Text,
    Path,
    Image,
    Form,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    Line,
    Curve,
    Move,
}

pub struct Segment {
    pub kind: SegmentKind,
    pub x: f32,
    pub y: f32,
    pub closes: bool,
}

/// Something drawn on a page. PDFium checks the kind: functions of another kind find nothing.
#[derive(Clone, Copy)]
pub struct Object<'p> {
    handle: NonNull<c_void>,
    call: &'p Functions,
    _page: PhantomData<&'p ()>,
}

impl<'p> Object<'p> {
    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    /// The same object has the same address as long as its page is open.
    pub fn address(&self) -> usize {
        self.raw() as usize
    }

    pub fn kind(&self) -> ObjectKind {
        // SAFETY: the object lives as long as its page, which it borrows; so in all that follow.
        match unsafe { (self.call.FPDFPageObj_GetType)(self.raw()) } {
            1 => ObjectKind::Text,
            2 => ObjectKind::Path,
            3 => ObjectKind::Image,
            5 => ObjectKind::Form,
            _ => ObjectKind::Other,
        }
    }

    pub fn matrix(&self) -> Matrix {
        let mut matrix = Matrix { a: 1.0, d: 1.0, ..Matrix::default() };
        // SAFETY: see `kind`; PDFium writes one matrix.
        unsafe { (self.call.FPDFPageObj_GetMatrix)(self.raw(), &mut matrix) };
        matrix
    }

    pub fn marked_content(&self) -> i32 {
        // SAFETY: see `kind`.
        unsafe { (self.call.FPDFPageObj_GetMarkedContentID)(self.raw()) }
    }

    /// The box of what is drawn, in the space of the page or form that has the object.
    pub fn bounds(&self) -> Option<Bounds> {
        let (mut left, mut bottom, mut right, mut top) = (0.0, 0.0, 0.0, 0.0);
        let read = self.call.FPDFPageObj_GetBounds;
        // SAFETY: see `kind`; PDFium writes four numbers.
        let found = unsafe { read(self.raw(), &mut left, &mut bottom, &mut right, &mut top) };
        (found != 0).then_some(Bounds { left, bottom, right, top })
    }

    /// The address of the mark that says what the text of an object is, and what it says; none where nothing does.
    pub fn actual_text(&self) -> Option<(usize, String)> {
        let read = self.call.FPDFPageObjMark_GetParamBlobValue;
        let key = c"ActualText".as_ptr();
        // SAFETY: see `kind`.
        let length = count(unsafe { (self.call.FPDFPageObj_CountMarks)(self.raw()) });
        (0..length).rev().find_map(|number| {
            // SAFETY: see `kind`; marks live as long as their object, and PDFium checks the index.
            let mark = unsafe { (self.call.FPDFPageObj_GetMark)(self.raw(), number as c_ulong) };
            let mut bytes = 0;
            // SAFETY: as above; PDFium takes null and writes one number.
            if unsafe { read(mark, key, null_mut(), 0, &mut bytes) } == 0 || bytes == 0 {
                return None;
            }
            let mut said = vec![0u8; bytes as usize];
            // SAFETY: as above; PDFium writes at most as many bytes as it is told.
            unsafe { read(mark, key, said.as_mut_ptr().cast(), bytes, &mut bytes) };
            let text: String = match said.strip_prefix(&[0xFE, 0xFF]) {
                Some(wide) => {
                    let units = wide.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                    char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
                }
                None => said.into_iter().map(char::from).collect(),
            };
            (!text.is_empty()).then_some((mark as usize, text))
        })
    }

    pub fn font_size(&self) -> f32 {
        let mut size = 0.0;
        // SAFETY: see `kind`; PDFium writes one number.
        unsafe { (self.call.FPDFTextObj_GetFontSize)(self.raw(), &mut size) };
        size
    }

    pub fn fill_color(&self) -> Color {
        // SAFETY: see `kind`; PDFium writes four numbers.
        color(|r, g, b, a| unsafe { (self.call.FPDFPageObj_GetFillColor)(self.raw(), r, g, b, a) })
    }

    pub fn stroke_width(&self) -> f32 {
        let mut width = 0.0;
        // SAFETY: see `kind`; PDFium writes one number.
        unsafe { (self.call.FPDFPageObj_GetStrokeWidth)(self.raw(), &mut width) };
        width
    }

    /// Whether a path is filled, and whether it is stroked.
    pub fn draw_mode(&self) -> Option<(bool, bool)> {
        let (mut fill, mut stroke) = (0, 0);
        // SAFETY: see `kind`; PDFium writes two numbers.
        let found = unsafe { (self.call.FPDFPath_GetDrawMode)(self.raw(), &mut fill, &mut stroke) };
        (found != 0).then_some((fill != 0, stroke != 0))
    }

    pub fn segment_count(&self) -> usize {
        // SAFETY: see `kind`.
        count(unsafe { (self.call.FPDFPath_CountSegments)(self.raw()) })
    }

    pub fn segment(&self, number: usize) -> Option<Segment> {
        let (mut x, mut y) = (0.0, 0.0);
        // SAFETY: see `kind`; segments live as long as their path, PDFium checks the index and takes null.
        unsafe {
            let segment = (self.call.FPDFPath_GetPathSegment)(self.raw(), index(number));
            if (self.call.FPDFPathSegment_GetPoint)(segment, &mut x, &mut y) == 0 {
                return None;
            }
            let kind = match (self.call.FPDFPathSegment_GetType)(segment) {
                2 => SegmentKind::Move,
                1 => SegmentKind::Curve,
                _ => SegmentKind::Line,
            };
            Some(Segment { kind, x, y, closes: (self.call.FPDFPathSegment_GetClose)(segment) != 0 })
        }
    }

    /// The objects of a form object.
    pub fn objects(&self) -> impl Iterator<Item = Object<'p>> {
        let (handle, call) = (self.handle, self.call);
        // SAFETY: see `kind`.
        let length = count(unsafe { (call.FPDFFormObj_CountObjects)(handle.as_ptr()) });
        (0..length).filter_map(move |number| {
            // SAFETY: see `kind`; PDFium checks the index.
            let inner = unsafe { (call.FPDFFormObj_GetObject)(handle.as_ptr(), number as c_ulong) };
            NonNull::new(inner).map(|handle| Object { handle, call, _page: PhantomData })
        })
    }

    pub fn text_render_mode(&self) -> i32 {
        // SAFETY: see `kind`.
        unsafe { (self.call.FPDFTextObj_GetTextRenderMode)(self.raw()) }
    }

    pub fn font(&self) -> Option<Font<'p>> {
        // SAFETY: see `kind`; the font lives as long as the text object.
        let handle = unsafe { (self.call.FPDFTextObj_GetFont)(self.raw()) };
        NonNull::new(handle).map(|handle| Font { handle, call: self.call })
    }
}

#[derive(Clone, Copy)]
pub struct Font<'p> {
    handle: NonNull<c_void>,
    call: &'p Functions,
}

impl Font<'_> {
    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    pub fn address(&self) -> usize {
        self.raw() as usize
    }

    pub fn base_name(&self) -> String {
        // SAFETY: the font lives as long as its page; PDFium writes at most as many bytes as it is told.
        narrow(|buffer, room| unsafe { (self.call.FPDFFont_GetBaseFontName)(self.raw(), buffer, room) })
    }

    /// The flags of the font descriptor (ISO 32000-1, table 123); negative when there are none.
    pub fn flags(&self) -> i32 {
        // SAFETY: as above.
        unsafe { (self.call.FPDFFont_GetFlags)(self.raw()) }
    }

    pub fn weight(&self) -> i32 {
        // SAFETY: as above.
        unsafe { (self.call.FPDFFont_GetWeight)(self.raw()) }
    }
}

pub struct Link<'p> {
    handle: NonNull<c_void>,
    document: &'p Document,
    _page: PhantomData<&'p ()>,
}

impl Link<'_> {
    pub fn bounds(&self) -> Option<Bounds> {
        let mut rect = RectF::default();
        // SAFETY: links live as long as their page, which this borrows; so in all that follow.
        let found = unsafe { (self.document.call().FPDFLink_GetAnnotRect)(self.handle.as_ptr(), &mut rect) };
        (found != 0).then(|| rect.into())
    }

    fn action(&self) -> Option<NonNull<c_void>> {
        // SAFETY: see `bounds`.
        NonNull::new(unsafe { (self.document.call().FPDFLink_GetAction)(self.handle.as_ptr()) })
    }

    pub fn uri(&self) -> Option<String> {
        const URI: c_ulong = 3;
        let (call, document) = (self.document.call(), self.document.raw());
        let action = self.action()?.as_ptr();
        // SAFETY: see `bounds`; PDFium writes at most as many bytes as it is told.
        let text = unsafe {
            if (call.FPDFAction_GetType)(action) != URI {
                return None;
            }
            narrow(|buffer, room| {
                (call.FPDFAction_GetURIPath)(document, action, buffer.cast(), room as c_ulong) as usize
            })
        };
        (!text.is_empty()).then_some(text)
    }

    /// The index of the page to which it leads.
    pub fn page(&self) -> Option<usize> {
        // SAFETY: see `bounds`.
        unsafe {
            let dest = (self.document.call().FPDFLink_GetDest)(self.document.raw(), self.handle.as_ptr());
            self.document.page_of(NonNull::new(dest), || self.action())
        }
    }
}

/// The place of a form field on a page.
pub struct Widget<'p> {
    handle: NonNull<c_void>,
    form: NonNull<c_void>,
    page: &'p Page<'p>,
}

impl Widget<'_> {
    fn call(&self) -> &Functions {
        self.page.call()
    }

    pub fn bounds(&self) -> Option<Bounds> {
        let mut rect = RectF::default();
        // SAFETY: annotation, form and page are open; so in all that follow.
        let found = unsafe { (self.call().FPDFAnnot_GetRect)(self.handle.as_ptr(), &mut rect) };
        (found != 0).then(|| rect.into())
    }

    /// The type of its field, as PDFium numbers them.
    pub fn field_type(&self) -> i32 {
        // SAFETY: see `bounds`.
        unsafe { (self.call().FPDFAnnot_GetFormFieldType)(self.form.as_ptr(), self.handle.as_ptr()) }
    }

    pub fn is_checked(&self) -> bool {
        // SAFETY: see `bounds`.
        unsafe { (self.call().FPDFAnnot_IsChecked)(self.form.as_ptr(), self.handle.as_ptr()) != 0 }
    }

    /// What a button stands for when it is set.
    pub fn export_value(&self) -> String {
        self.text(self.call().FPDFAnnot_GetFormFieldExportValue)
    }

    pub fn value(&self) -> String {
        self.text(self.call().FPDFAnnot_GetFormFieldValue)
    }

    pub fn name(&self) -> String {
        self.text(self.call().FPDFAnnot_GetFormFieldName)
    }

    pub fn alternate_name(&self) -> String {
        self.text(self.call().FPDFAnnot_GetFormFieldAlternateName)
    }

    fn text(&self, function: unsafe extern "C" fn(Raw, Raw, *mut c_void, c_ulong) -> c_ulong) -> String {
        // SAFETY: see `bounds`; PDFium writes at most as many bytes as it is told.
        wide(|buffer, room| unsafe { function(self.form.as_ptr(), self.handle.as_ptr(), buffer, room) })
    }
}

impl Drop for Widget<'_> {
    fn drop(&mut self) {
        // SAFETY: open, and closed only here.
        unsafe { (self.call().FPDFPage_CloseAnnot)(self.handle.as_ptr()) };
    }
}

/// The part of the document's structure tree that a page shows.
pub struct StructureTree<'p> {
    handle: NonNull<c_void>,
    page: &'p Page<'p>,
}

impl StructureTree<'_> {
    pub fn children(&self) -> impl Iterator<Item = Element<'_>> {
        let (handle, call) = (self.handle, self.page.call());
        // SAFETY: the tree is open.
        let length = count(unsafe { (call.FPDF_StructTree_CountChildren)(handle.as_ptr()) });
        (0..length).filter_map(move |number| {
            // SAFETY: elements live as long as the tree; PDFium checks the index.
            let child = unsafe { (call.FPDF_StructTree_GetChildAtIndex)(handle.as_ptr(), index(number)) };
            NonNull::new(child).map(|handle| Element { handle, call })
        })
    }
}

impl Drop for StructureTree<'_> {
    fn drop(&mut self) {
        // SAFETY: open, and closed only here.
        unsafe { (self.page.call().FPDF_StructTree_Close)(self.handle.as_ptr()) };
    }
}

pub enum Child<'t> {
    Content(i32),
    Element(Element<'t>),
}

#[derive(Clone, Copy)]
pub struct Element<'t> {
    handle: NonNull<c_void>,
    call: &'t Functions,
}

impl<'t> Element<'t> {
    fn raw(&self) -> Raw {
        self.handle.as_ptr()
    }

    pub fn kind(&self) -> String {
        // SAFETY: the element lives as long as its tree, which it borrows; so in all that follow.
        wide(|buffer, room| unsafe { (self.call.FPDF_StructElement_GetType)(self.raw(), buffer, room) })
    }

    pub fn alternative(&self) -> String {
        // SAFETY: see `kind`.
        wide(|buffer, room| unsafe { (self.call.FPDF_StructElement_GetAltText)(self.raw(), buffer, room) })
    }

    pub fn children(&self) -> impl Iterator<Item = Child<'t>> {
        let (handle, call) = (self.handle, self.call);
        // SAFETY: see `kind`.
        let length = count(unsafe { (call.FPDF_StructElement_CountChildren)(handle.as_ptr()) });
        (0..length).filter_map(move |number| {
            // SAFETY: see `kind`; PDFium checks the index.
            unsafe {
                let content = (call.FPDF_StructElement_GetChildMarkedContentID)(handle.as_ptr(), index(number));
                if content >= 0 {
                    return Some(Child::Content(content));
                }
                let child = (call.FPDF_StructElement_GetChildAtIndex)(handle.as_ptr(), index(number));
                NonNull::new(child).map(|handle| Child::Element(Element { handle, call }))
            }
        })
    }

    /// The first number that an attribute of this name has.
    pub fn number(&self, name: &CStr) -> Option<f32> {
        // SAFETY: see `kind`; attributes and values live as long as the element, PDFium takes null for either.
        unsafe {
            let attributes = count((self.call.FPDF_StructElement_GetAttributeCount)(self.raw()));
            (0..attributes).find_map(|at| {
                let attribute = (self.call.FPDF_StructElement_GetAttributeAtIndex)(self.raw(), index(at));
                let value = (self.call.FPDF_StructElement_Attr_GetValue)(attribute, name.as_ptr());
                let mut number = 0.0;
                let found =
                    !value.is_null() && (self.call.FPDF_StructElement_Attr_GetNumberValue)(value, &mut number) != 0;
                found.then_some(number)
            })
        }
    }
}
