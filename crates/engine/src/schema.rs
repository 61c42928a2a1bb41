//! JSON Schemas of the request and the result, generated from the types.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::request::BuildRequest;
use crate::result::BuildResult;

/// The schema of a [`BuildRequest`], and so of a scene file.
pub fn request_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<BuildRequest>().to_value()
}

/// The schema of a [`BuildResult`].
pub fn result_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<BuildResult>().to_value()
}
