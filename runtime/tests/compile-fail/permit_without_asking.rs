//! Not even for a class that does not ask.

fn main() {
    let _ = verbgate::consent::without_asking(verbgate::table::Class::Read);
}
