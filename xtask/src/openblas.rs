//! The one system library of the workspace: OpenBLAS, which the ndarray backend links.

use std::process::Command;

use crate::shell::{self, Outcome};

const MISSING: &str = "\
OpenBLAS was not found with pkg-config; the ndarray backend links it. To install it:
    sudo apt-get install libopenblas-dev pkg-config    # Debian, Ubuntu
    sudo dnf install openblas-devel pkgconf            # Fedora
    brew install openblas pkgconf                      # macOS, and then
    export PKG_CONFIG_PATH=\"$(brew --prefix openblas)/lib/pkgconfig\"
On Debian and Ubuntu, `cargo xtask test --install` does it for you.
Everything but the ndarray backend is tested without it by `cargo test`.";

/// Fails with what to do where OpenBLAS is missing; installs it first if asked to.
pub(crate) fn require(install: bool) -> Outcome {
    if install && !is_installed() {
        apt_get(&["update"])?;
        apt_get(&["install", "--yes", "libopenblas-dev", "pkg-config"])?;
    }
    if is_installed() { Ok(()) } else { Err(MISSING.into()) }
}

/// Whether the ndarray backend can be linked.
pub(crate) fn is_installed() -> bool {
    shell::succeeds(Command::new("pkg-config").args(["--exists", "openblas"]))
}

fn apt_get(arguments: &[&str]) -> Outcome {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
    if !is_root {
        command.arg("apt-get");
    }
    shell::run(command.args(arguments))
}
