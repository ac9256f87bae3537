//! Where the bytes of a document are, shared by all workers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::pybacked::PyBackedBytes;

use crate::failure::{Failure, Kind};

/// Smaller files are read to memory: a file that is cut off while it is mapped would end the process, and PDFium
/// reads memory faster than a file.
const READ_BELOW: u64 = 64 << 20;

pub enum Content {
    Memory(Vec<u8>),
    /// The `bytes` of the caller, without a copy.
    Python(PyBackedBytes),
    File(PathBuf),
}

impl Content {
    pub fn of_path(path: &Path) -> Result<Self, Failure> {
        let failure = |error: std::io::Error| Failure::new(Kind::Corrupt, format!("cannot be read: {error}"));
        let small = path.metadata().map_err(failure)?.len() < READ_BELOW;
        if small { std::fs::read(path).map(Self::Memory).map_err(failure) } else { Ok(Self::File(path.into())) }
    }

    /// The bytes in memory; none for a file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Memory(bytes) => bytes,
            Self::Python(bytes) => bytes,
            Self::File(_) => &[],
        }
    }
}

/// A document that workers open: each for itself, when it first needs it.
pub struct Source {
    /// Tells documents apart in the workers' caches, also after one is freed.
    pub id: u64,
    pub library: PathBuf,
    pub content: Content,
    pub password: Option<String>,
    /// Set when nobody will ask for pages of it any more: workers close their handles.
    pub released: AtomicBool,
}

impl Source {
    pub fn new(library: PathBuf, content: Content, password: Option<String>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { id, library, content, password, released: AtomicBool::new(false) }
    }
}
