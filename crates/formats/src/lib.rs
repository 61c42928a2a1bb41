//! Read and write what people already have, losing nothing: bytes in, values out, and back.
