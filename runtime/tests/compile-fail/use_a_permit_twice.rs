//! A permit is for one start.

fn twice(permit: verbgate::consent::Permit) {
    drop(permit);
    drop(permit);
}

fn copied(permit: &verbgate::consent::Permit) -> verbgate::consent::Permit {
    permit.clone()
}

fn main() {
    let _ = (twice, copied);
}
