//! What can go wrong with a document or a page. `quire.pages.render._native` turns it into its typed errors.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Corrupt,
    Internal,
    Limit,
    Password,
    Unsupported,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Corrupt => "corrupt",
            Self::Internal => "internal",
            Self::Limit => "limit",
            Self::Password => "password",
            Self::Unsupported => "unsupported",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
