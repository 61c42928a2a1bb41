//! One build request in, one build result out, whatever the platform. Every door uses these types.
//!
//! The path of a build: a scene file or a program gives a [`BuildRequest`] (what was said); [`resolve`](BuildRequest::resolve)
//! reads the assets it names and gives a [`ResolvedRequest`] (what it means); [`Engine::build`] runs the platform's pipeline and
//! gives a [`BuildResult`]. The engine performs no I/O: the door brings an [`AssetReader`].
//!
//! ```
//! use tavernkit_engine::{Engine, scene};
//!
//! let request = scene::parse("message: A room, please.\nmodel: gpt-4o\n", scene::Format::Yaml)?;
//! let result = Engine::new().build(request.resolve(&tavernkit_engine::NoAssets)?)?;
//! assert_eq!(result.request[0]["content"], "A room, please.");
//! assert_eq!(result.tokens.total, 5);
//! # Ok::<(), tavernkit_engine::EngineError>(())
//! ```

mod build;
mod environment;
mod error;
mod request;
mod resolve;
mod result;
pub mod scene;
mod schema;

pub use build::Engine;
pub use error::EngineError;
pub use request::{
    Asset, BookLink, BuildRequest, Generation, LinkedBook, Now, Persona, Platform, TrimRequest,
};
pub use resolve::{AssetReader, NoAssets, ResolvedRequest};
pub use result::{BuildResult, TokenReport};
pub use schema::{request_schema, result_schema};
