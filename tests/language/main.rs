//! What C says, against the compiler and the platform.

mod addresses;
mod assembly_oracle;
mod bounds_oracle;
mod evaluation_order;
mod float;
mod headers;
mod int128;
mod layout_oracle;
mod library_oracle;
mod provenance;
mod representation;
mod uninitialised;
