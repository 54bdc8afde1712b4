//! A permit can't be made outside of the consent layer.

fn main() {
    let _ = verbgate::consent::Permit(());
}
