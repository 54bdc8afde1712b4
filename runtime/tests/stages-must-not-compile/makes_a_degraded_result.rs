//! The gateway's degraded result is a type that nothing makes yet.
use verbgate::stages::Degraded;

fn main() {
    let _ = Degraded { _nothing_makes_one: todo!() };
}
