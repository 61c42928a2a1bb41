//! Why a build did not happen.

use crate::scene::SceneError;

/// Why a build did not happen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The scene could not be read as a request.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// An asset the request names could not be read.
    #[error("field `{field}`: cannot read `{path}`: {why}")]
    Asset {
        /// The request's field.
        field: &'static str,
        /// The path in it.
        path: String,
        /// What went wrong, in one sentence.
        why: String,
    },
    /// A field of the request has a value that cannot be used.
    #[error("field `{field}`: {why}")]
    Field {
        /// The request's field.
        field: &'static str,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A stage of the pipeline failed.
    #[error(transparent)]
    Build(#[from] tavernkit_core::Error),
}
