//! Parts of a path that are refused for anything but reading: what stands there is obeyed by other programs.

use crate::Text;

/// A sensitive component and why.
struct Row {
    /// Lower case; with `*` at its end it is a beginning.
    name: &'static str,
    why: &'static str,
}

/// LANGUAGE section 4, `sensitive`.
const TABLE: &[Row] = &[
    Row { name: ".git", why: "git runs hooks and filters that stand there" },
    Row { name: ".pi", why: "the agent host loads its settings and extensions from there" },
    Row { name: ".ssh", why: "keys and login rights stand there" },
    Row { name: ".vscode", why: "the editor runs tasks that stand there" },
    Row { name: ".envrc", why: "direnv runs it" },
    Row { name: ".env*", why: "programs take their environment and secrets from it" },
    Row { name: "node_modules", why: "programs load code from there" },
    Row { name: ".venv", why: "programs load code from there" },
    Row { name: "tools.yaml", why: "it is the table of what may be run" },
];

/// The names of the table, `*` at the end of one that is a beginning.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

/// Whether a manifest can name this component as allowed: the table covers it, or it is one of the table's names.
pub fn is_sensitive(component: &str) -> bool {
    row(&fold(component)).is_some()
}

/// Why one component of a path is refused for anything but reading, or `None` where it isn't sensitive or `allowed`
/// names it, by itself or by the table's name for it (`.env*`). Upper and lower case count as equal, as they do on some
/// file systems.
pub fn refused(component: &str, allowed: &[Text]) -> Option<&'static str> {
    let part = fold(component);
    let row = row(&part)?;
    let named = allowed.iter().any(|allowed| fold(allowed) == part || allowed == row.name);
    (!named).then_some(row.why)
}

/// A component as it is compared and shown. Upper case first: it also folds letters such as the long s, which file
/// systems fold.
pub fn fold(component: &str) -> String {
    component.to_uppercase().to_lowercase()
}

fn row(part: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| match row.name.strip_suffix('*') {
        Some(beginning) => part.starts_with(beginning),
        None => part == row.name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_table_allows_all_that_it_covers_and_a_full_name_only_itself() {
        let whole: Text = ".env*".into();
        let one: Text = ".env.local".into();
        assert!(refused(".ENV.local", &[]).is_some());
        assert_eq!(refused(".env.local", std::slice::from_ref(&whole)), None);
        assert_eq!(refused(".Env.Local", std::slice::from_ref(&one)), None);
        assert!(refused(".env.test", &[one]).is_some());
        assert!(refused(".git", &[whole]).is_some());
        assert_eq!(refused("src", &[]), None);
    }

    #[test]
    fn every_name_of_the_table_can_be_allowed() {
        assert!(names().all(is_sensitive));
        assert!(!is_sensitive("src") && !is_sensitive("environment"));
    }
}
