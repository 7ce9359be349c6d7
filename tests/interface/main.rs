//! What the program, its documents and its code say.

mod cli;
mod cluster;
mod docs;
mod html;
mod layers;
mod library;
mod linearizable;
mod manual;
mod options;
mod orders;
mod outputs;
mod sarif;
mod suite;
mod svcomp;
mod words;
