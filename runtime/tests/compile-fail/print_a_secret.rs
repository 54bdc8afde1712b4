//! A secret has no way into a text but `expose`.
use verbgate::serde_json::json;
use verbgate::table::secret::Secret;

fn main() {
    let secret = Secret::new(String::new());
    println!("{secret}");
    println!("{secret:?}");
    json!(secret);
}
