//! The one place that reads the files which a manifest names.
//!
//! Invariant: nothing else in this crate reads a file (but `cargo`, which compares what it writes).

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::check::{CatalogInput, CheckInput};
use crate::codes::{shape, syntax as codes};
use crate::diag::{Diagnostic, FileId, Sources, Span, is_error};
use crate::model::{self, At};
use crate::syntax::{self, MAX_BYTES, MAX_DEPTH};

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is missing or may not be read: the system's words.
    Unreadable(String),
    /// It lies outside the manifest's folder, perhaps behind a link.
    Outside,
    /// It is something else: a folder, a pipe, a device.
    NotRegular(&'static str),
    /// It has this many bytes.
    TooLarge(u64),
}

/// A file, read.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// Where it really lies; two names of one file have the same.
    pub identity: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Where files come from: a folder, or texts in memory. Names are relative to the manifest's folder, without `..`.
pub trait Files {
    /// Reads a file.
    ///
    /// # Errors
    /// The file is not one that a manifest may name.
    fn read(&self, name: &Path) -> Result<Bytes, Refusal>;
}

impl Files for BTreeMap<String, Vec<u8>> {
    fn read(&self, name: &Path) -> Result<Bytes, Refusal> {
        match name.to_str().and_then(|name| self.get(name)) {
            Some(bytes) => Ok(Bytes { identity: name.to_owned(), bytes: bytes.clone() }),
            None => Err(Refusal::Unreadable("no such file".to_owned())),
        }
    }
}

/// The folder of a manifest.
#[derive(Debug)]
pub struct Folder {
    /// Canonical.
    root: PathBuf,
}

impl Folder {
    /// The folder in which a manifest really lies (the manifest may be a link), and the manifest's name there.
    ///
    /// # Errors
    /// The manifest is missing, or its path has no name.
    pub fn of(manifest: &Path) -> Result<(Self, PathBuf), Refusal> {
        let real = manifest.canonicalize().map_err(|error| Refusal::Unreadable(words(&error)))?;
        let name = real.file_name().map(PathBuf::from).ok_or(Refusal::NotRegular("a folder"))?;
        let root = real.parent().map(Path::to_path_buf).ok_or(Refusal::NotRegular("a folder"))?;
        Ok((Self { root }, name))
    }
}

impl Files for Folder {
    fn read(&self, name: &Path) -> Result<Bytes, Refusal> {
        let unreadable = |error: io::Error| Refusal::Unreadable(words(&error));
        let identity = self.root.join(name).canonicalize().map_err(unreadable)?;
        if !identity.starts_with(&self.root) {
            return Err(Refusal::Outside);
        }
        let file = open(&identity).map_err(unreadable)?;
        let data = file.metadata().map_err(unreadable)?;
        if !data.is_file() {
            return Err(Refusal::NotRegular(if data.is_dir() { "a folder" } else { "a pipe, a socket or a device" }));
        }
        if data.len() > MAX_BYTES as u64 {
            return Err(Refusal::TooLarge(data.len()));
        }
        let mut bytes = Vec::new();
        // A file that grows meanwhile is cut here, and refused by its length.
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(Bytes { identity, bytes })
    }
}

/// Opens without waiting: a pipe that nobody writes to would hold the build for ever.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options.open(path)
}

/// The system's words without its number.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => {
            let words = error.to_string().to_lowercase();
            words.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

/// A manifest with all that it names.
#[derive(Debug, Default)]
pub struct Loaded {
    /// All texts.
    pub sources: Sources,
    /// The files that could be read, the manifest first; complete if there is no error.
    pub files: Vec<CheckInput>,
    /// Errors and warnings of reading, syntax and shape.
    pub found: Vec<Diagnostic>,
    /// Where all files that were read really lie, in the order of reading.
    pub inputs: Vec<PathBuf>,
}

/// Reads a manifest, what it includes, and the catalogues.
///
/// `shown` is the manifest's name in reports; the other files are shown beside it.
pub fn read(files: &dyn Files, name: &Path, shown: &Path) -> Loaded {
    let folder = shown.parent().unwrap_or(Path::new("")).to_owned();
    let mut loader = Loader { files, folder, seen: BTreeMap::new(), loaded: Loaded::default() };
    loader.manifest(name, Some(shown), None);
    loader.loaded
}

/// A report about a manifest that can't be read at all.
pub fn refused(shown: &Path, refusal: &Refusal) -> Loaded {
    let mut loaded = Loaded::default();
    let id = loaded.sources.add(shown.to_string_lossy(), "");
    loaded.found.push(diagnostic(refusal, &shown.to_string_lossy(), Span { file: id, bytes: 0..0 }));
    loaded
}

struct Loader<'a> {
    files: &'a dyn Files,
    folder: PathBuf,
    /// Where each file was named first, and whether it is being read (then it includes itself).
    seen: BTreeMap<PathBuf, (Span, bool)>,
    loaded: Loaded,
}

impl Loader<'_> {
    /// Reads one manifest; `named`: where another one includes it.
    fn manifest(&mut self, name: &Path, shown: Option<&Path>, named: Option<&Span>) {
        let path = shown.map_or_else(|| self.folder.join(name), Path::to_path_buf);
        if let Some(span) = named.filter(|_| self.seen.values().filter(|(_, open)| *open).count() >= MAX_DEPTH) {
            let message = format!("files are included more than {MAX_DEPTH} levels deep");
            self.loaded.found.push(
                Diagnostic::new(&codes::VG0011, span.clone(), message).help("include them from the first manifest"),
            );
            return;
        }
        let Some((id, text, identity)) = self.text(name, &path, named, true) else { return };
        let first = Span { file: id, bytes: 0..0 };
        self.seen.insert(identity.clone(), (named.cloned().unwrap_or(first), true));

        let node = match syntax::parse(id, &text) {
            Ok(node) => node,
            Err(found) => return self.loaded.found.extend(found),
        };
        let (model, found) = model::read(id, &text, &node);
        self.loaded.found.extend(found);
        if named.is_some() {
            self.not_included(&node);
        }
        let Some(model) = model else { return };
        let root = At::root(&node);
        let beside = name.parent().unwrap_or(Path::new("")).to_owned();
        let mut catalogs = Vec::new();
        for (index, catalog) in model.catalogs.iter().enumerate() {
            let span = root.key("catalogs").index(index).span();
            catalogs.extend(self.catalog(&beside, catalog, span));
        }
        let includes: Vec<(String, Span)> = model
            .include
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), root.key("include").index(index).span()))
            .collect();
        let is_first = named.is_none();
        self.loaded.files.push(CheckInput { id, path, node, model, catalogs, is_first });
        for (include, span) in includes {
            match inside(&beside, &include) {
                Some(name) => self.manifest(&name, None, Some(&span)),
                None => self.loaded.found.push(diagnostic(&Refusal::Outside, &include, span)),
            }
        }
        if let Some((_, open)) = self.seen.get_mut(&identity) {
            *open = false;
        }
    }

    fn catalog(&mut self, beside: &Path, catalog: &str, span: Span) -> Option<CatalogInput> {
        let Some(name) = inside(beside, catalog) else {
            self.loaded.found.push(diagnostic(&Refusal::Outside, catalog, span));
            return None;
        };
        let path = self.folder.join(&name);
        let (id, text, _) = self.text(&name, &path, Some(&span), false)?;
        match syntax::parse_json(id, &text) {
            Ok((node, json)) => Some(CatalogInput { id, path: PathBuf::from(catalog), node, json }),
            Err(found) => {
                self.loaded.found.extend(found);
                None
            }
        }
    }

    /// Reads a text and adds it to the sources; reports what stands against it where it is named.
    fn text(
        &mut self,
        name: &Path,
        path: &Path,
        named: Option<&Span>,
        once: bool,
    ) -> Option<(FileId, String, PathBuf)> {
        let shown = path.to_string_lossy();
        let read = self.files.read(name);
        let Bytes { identity, bytes } = match read {
            Ok(bytes) => bytes,
            Err(refusal) => {
                let place = named
                    .cloned()
                    .unwrap_or_else(|| Span { file: self.loaded.sources.add(shown.clone(), ""), bytes: 0..0 });
                self.loaded.found.push(diagnostic(&refusal, &shown, place));
                return None;
            }
        };
        if once
            && let Some(named) = named
            && let Some((earlier, open)) = self.seen.get(&identity)
        {
            let message = if *open {
                format!("`{shown}` includes itself, here or by way of another file")
            } else {
                format!("`{shown}` is included twice")
            };
            let mut twice = Diagnostic::new(&codes::VG0023, named.clone(), message).help("delete one of the two");
            if earlier.bytes != (0..0) {
                twice = twice.also(earlier.clone(), "first included here");
            }
            self.loaded.found.push(twice);
            return None;
        }
        let id = self.loaded.sources.add(shown.clone(), "");
        self.loaded.inputs.push(identity.clone());
        match syntax::decode(id, bytes) {
            Ok(text) => {
                self.loaded.sources.set(id, text.clone());
                Some((id, text, identity))
            }
            Err(refused) => {
                let (text, refused) = *refused;
                self.loaded.sources.set(id, text);
                self.loaded.found.push(refused);
                None
            }
        }
    }

    /// Keys that hold for the whole catalogue stand in the first manifest only.
    fn not_included(&mut self, node: &syntax::Node) {
        for key in ["output", "result_stages", "provider_stages", "capabilities"] {
            let at = At::root(node).key(key);
            if at.exists() {
                self.loaded.found.push(
                    Diagnostic::new(&shape::VG0109, at.key_span(), format!("`{key}` can't stand in an included file"))
                        .help("it holds for the whole catalogue: put it into the first manifest"),
                );
            }
        }
    }
}

/// Whether anything read is an error.
pub fn failed(loaded: &Loaded) -> bool {
    loaded.found.iter().any(is_error)
}

/// A name beside a file, as a path below the manifest's folder; none if it leads out.
fn inside(beside: &Path, name: &str) -> Option<PathBuf> {
    let mut path = beside.to_path_buf();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

fn diagnostic(refusal: &Refusal, shown: &str, span: Span) -> Diagnostic {
    match refusal {
        Refusal::Unreadable(words) => {
            Diagnostic::new(&codes::VG0020, span, format!("`{shown}` can't be read: {words}"))
                .help("names are relative to the file that holds them")
        }
        Refusal::Outside => {
            Diagnostic::new(&codes::VG0021, span, format!("`{shown}` lies outside the manifest's folder"))
                .help("copy the file into the folder of the first manifest; links out of it are not followed")
        }
        Refusal::NotRegular(what) => {
            Diagnostic::new(&codes::VG0022, span, format!("`{shown}` is {what}, not a regular file"))
                .help("name a regular file")
        }
        Refusal::TooLarge(bytes) => Diagnostic::new(
            &codes::VG0012,
            span,
            format!("`{shown}` is {bytes} bytes large; at most {MAX_BYTES} are read"),
        )
        .help("split it"),
    }
}
