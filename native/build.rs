//! Gives the crate a digest of its sources, which is part of the key of the text that it reads: a rebuilt crate that
//! may read otherwise never serves what an earlier one has stored. The same sources have the same digest everywhere.

use std::{env, fs, path::PathBuf};

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let sources = fs::read_dir(root.join("src")).expect("the folder of the sources");
    let mut files: Vec<PathBuf> = sources.map(|entry| entry.expect("a source").path()).collect();
    files.push(root.join("Cargo.toml"));
    files.sort();
    let mut digest = OFFSET; // FNV-1a: against accidents, not against people
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.file_name().expect("a file").as_encoded_bytes().to_vec();
        let content = fs::read(&file).expect("a source");
        for byte in name.into_iter().chain(content).filter(|byte| *byte != b'\r') {
            digest = (digest ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rustc-env=QUIRE_NATIVE_SOURCE={digest:016x}");
}
