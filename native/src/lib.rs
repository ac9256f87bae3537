//! PDF pages to native text and PNG, in parallel, with the interpreter lock released.
//!
//! The Python names here are described in `quire_native.pyi`.

mod annotations;
mod failure;
mod graphics;
mod outline;
mod pagetext;
mod pdfium;
mod png;
mod pool;
mod read;
mod render;
mod source;
mod spans;
mod text;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

use crate::failure::{Failure, Kind};
use crate::pdfium::Document;
use crate::pool::{Batch, Lease, Next, Pool, Worker};
use crate::render::{Image, Options};
use crate::source::{Content, Source};

const SIGNAL_INTERVAL: Duration = Duration::from_millis(100); // how often Ctrl-C is looked for while waiting
const CLOSING_PATIENCE: Duration = Duration::from_secs(5);

create_exception!(quire_native, PdfError, PyException, "A document that cannot be read: (kind, message).");

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        PdfError::new_err((failure.kind.name(), failure.message))
    }
}

/// What PDFium gets wrong about characters: the tables of `quire.pages.render.glyphs`.
#[pyclass(frozen, name = "Glyphs")]
struct PyGlyphs(Arc<text::Glyphs>);

#[pymethods]
impl PyGlyphs {
    #[new]
    fn new(
        symbols: Vec<(String, String, String)>,
        expansions: HashMap<char, String>,
        composed: HashMap<(char, char), char>,
    ) -> PyResult<Self> {
        let symbols =
            symbols.into_iter().map(|(start, given, meant)| (start, given.chars().zip(meant.chars()).collect()));
        let expansions = expansions.into_iter().map(|(ligature, meant)| {
            let letters = text::Letters::of(&meant);
            letters.map(|letters| (ligature, letters)).ok_or_else(|| PyValueError::new_err("an expansion is too long"))
        });
        let expansions = expansions.collect::<PyResult<_>>()?;
        Ok(Self(Arc::new(text::Glyphs { symbols: symbols.collect(), expansions, composed })))
    }
}

#[pyclass(frozen)]
struct PdfFile {
    lease: Mutex<Option<Arc<Lease>>>,
    page_count: usize,
    encrypted: bool,
    permissions: u32,
}

#[pymethods]
impl PdfFile {
    #[new]
    #[pyo3(signature = (library, path=None, data=None, password=None))]
    fn new(
        py: Python<'_>,
        library: PathBuf,
        path: Option<PathBuf>,
        data: Option<PyBackedBytes>,
        password: Option<String>,
    ) -> PyResult<Self> {
        let pool = pool::current();
        let content = match (path, data) {
            (Some(path), None) => py.detach(|| Content::of_path(&path))?,
            (None, Some(data)) => Content::Python(data),
            _ => return Err(PyValueError::new_err("pass either path or data")),
        };
        let lease = Lease::new(Source::new(library, content, password), pool);
        let facts = |document: &Document| Ok((document.page_count(), document.encrypted(), document.permissions()));
        let (page_count, encrypted, permissions) = ask(py, lease.clone(), facts)?;
        if page_count == 0 {
            return Err(Failure::new(Kind::Corrupt, "has no pages").into());
        }
        Ok(Self { lease: Mutex::new(Some(lease)), page_count, encrypted, permissions })
    }

    #[getter]
    fn page_count(&self) -> usize {
        self.page_count
    }

    #[getter]
    fn encrypted(&self) -> bool {
        self.encrypted
    }

    #[getter]
    fn permissions(&self) -> u32 {
        self.permissions
    }

    fn info(&self, py: Python<'_>, number: usize) -> PyResult<(f32, f32, u16)> {
        let index = self.index(number)?;
        ask(py, self.lease()?, move |document| outline::info(document, index))
    }

    fn outline(&self, py: Python<'_>) -> PyResult<Vec<outline::Entry>> {
        ask(py, self.lease()?, |document| Ok(outline::outline(document)))
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, String)>> {
        ask(py, self.lease()?, |document| Ok(outline::metadata(document)))
    }

    fn plain<'py>(&self, py: Python<'py>, max_bytes: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (lease, pool) = (self.lease()?, pool::current());
        let batch = pool.start(1, 1, move |worker, _| Ok(worker.open(&lease.source)?.plain(max_bytes)))?;
        let plain = (Results { batch, pool }).only(py)?;
        Ok(plain.map(|bytes| PyBytes::new(py, &bytes)))
    }

    #[pyo3(signature = (pages, glyphs, *, threads=1))]
    fn text(&self, pages: Vec<usize>, glyphs: &PyGlyphs, threads: usize) -> PyResult<TextIterator> {
        let glyphs = glyphs.0.clone();
        self.start(pages, threads, move |worker, source, index| read::read(worker, source, index, &glyphs))
            .map(TextIterator)
    }

    #[pyo3(signature = (pages, *, dpi, max_bytes, max_pixels, grey, threads=1))]
    fn render(
        &self,
        pages: Vec<usize>,
        dpi: u32,
        max_bytes: usize,
        max_pixels: u64,
        grey: bool,
        threads: usize,
    ) -> PyResult<ImageIterator> {
        let options = Options { dpi, max_bytes, max_pixels, grey };
        self.start(pages, threads, move |worker, source, index| render::render(worker, source, index, &options))
            .map(ImageIterator)
    }

    fn close(&self) {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl PdfFile {
    fn lease(&self) -> PyResult<Arc<Lease>> {
        let lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        lease.clone().ok_or_else(|| PyValueError::new_err("the document is closed"))
    }

    fn index(&self, number: usize) -> PyResult<usize> {
        if (1..=self.page_count).contains(&number) {
            return Ok(number - 1);
        }
        Err(PyValueError::new_err(format!("there is no page {number} of {}", self.page_count)))
    }

    fn start<T: Send + 'static>(
        &self,
        pages: Vec<usize>,
        threads: usize,
        step: impl Fn(&mut Worker, &Arc<Source>, usize) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> PyResult<Results<T>> {
        let indexes = pages.into_iter().map(|number| self.index(number)).collect::<PyResult<Vec<_>>>()?;
        let (lease, pool) = (self.lease()?, pool::current());
        let batch = pool.start(indexes.len(), threads, move |worker, at| step(worker, &lease.source, indexes[at]))?;
        Ok(Results { batch, pool })
    }
}

/// One short question to the document, answered by a worker.
fn ask<T: Send + 'static>(
    py: Python<'_>,
    lease: Arc<Lease>,
    question: impl Fn(&Document) -> Result<T, Failure> + Send + Sync + 'static,
) -> PyResult<T> {
    let pool = pool::current();
    let batch = pool.start(1, 1, move |worker, _| question(&*worker.document(&lease.source)?))?;
    (Results { batch, pool }).only(py)
}

/// The results of a batch, taken in order. Dropping it cancels the rest.
struct Results<T: Send> {
    batch: Arc<Batch<T>>,
    pool: Arc<Pool>,
}

impl<T: Send> Results<T> {
    /// The result of a batch of one.
    fn only(&self, py: Python<'_>) -> PyResult<T> {
        match self.next(py)? {
            Some(answer) => Ok(answer?),
            None => Err(Failure::new(Kind::Internal, "the reader is closed").into()),
        }
    }

    /// Waits without the interpreter lock.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Result<T, Failure>>> {
        loop {
            let next = py.detach(|| {
                let next = self.batch.take(SIGNAL_INTERVAL);
                if matches!(next, Next::Value(_)) {
                    self.pool.advance();
                }
                next
            });
            match next {
                Next::Value(outcome) => return Ok(Some(outcome)),
                Next::End => return Ok(None),
                Next::Wait if self.pool.is_working() => py.check_signals()?,
                Next::Wait => return Err(Failure::new(Kind::Internal, "the reader is closed").into()),
            }
        }
    }
}

impl<T: Send> Drop for Results<T> {
    fn drop(&mut self) {
        self.batch.cancel();
    }
}

fn failed(py: Python<'_>, failure: Failure) -> PyResult<Bound<'_, PyAny>> {
    Ok((failure.kind.name(), failure.message).into_pyobject(py)?.into_any())
}

#[pyclass(frozen)]
struct TextIterator(Results<Vec<u8>>);

#[pymethods]
impl TextIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.next(py)? {
            Some(Ok(bytes)) => Ok(Some(PyBytes::new(py, &bytes).into_any())),
            Some(Err(failure)) => failed(py, failure).map(Some),
            None => Ok(None),
        }
    }
}

#[pyclass(frozen)]
struct ImageIterator(Results<Image>);

#[pymethods]
impl ImageIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.next(py)? {
            Some(Ok(image)) => {
                let png = PyBytes::new(py, &image.png);
                let values = (png, image.width, image.height, image.dpi, image.mode, image.render_ms);
                Ok(Some(values.into_pyobject(py)?.into_any()))
            }
            Some(Err(failure)) => failed(py, failure).map(Some),
            None => Ok(None),
        }
    }
}

/// End the worker threads: before the interpreter goes, so that none of them is inside a library that is going too.
#[pyfunction]
fn shutdown(py: Python<'_>) {
    if let Some(pool) = pool::retire() {
        py.detach(|| pool.close(CLOSING_PATIENCE));
    }
}

#[pymodule]
fn quire_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SOURCE", env!("QUIRE_NATIVE_SOURCE"))?;
    module.add("PdfError", py.get_type::<PdfError>())?;
    module.add_class::<PdfFile>()?;
    module.add_class::<PyGlyphs>()?;
    let shutdown = wrap_pyfunction!(shutdown, module)?;
    py.import("atexit")?.call_method1("register", PyTuple::new(py, [&shutdown])?)?;
    module.add_function(shutdown)
}
