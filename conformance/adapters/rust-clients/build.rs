//! Sets `old_interface` for versions of robotparser before 0.11.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(old_interface)");
    if include_str!("Cargo.toml").contains("robotparser = \"=0.10.") {
        println!("cargo::rustc-cfg=old_interface");
    }
}
