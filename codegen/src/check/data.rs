//! What the checks know of the world: limits of providers, names that load code, interpreters. Data with reasons.

/// A limit of providers or hosts, with its source and the date on which it was looked up.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// What it bounds.
    pub what: &'static str,
    /// The number.
    pub most: usize,
    /// Who says so.
    pub source: &'static str,
    /// When that was looked up.
    pub date: &'static str,
}

/// Longest name of a tool, action or argument.
pub const NAME: Limit = Limit {
    what: "characters of a name",
    most: 64,
    source: "function names of the OpenAI and Anthropic interfaces, ^[a-zA-Z0-9_-]{1,64}$; openai/codex 8174",
    date: "2026-11-30",
};
/// Longest tool name that still fits behind an MCP client's prefix `mcp__verbgate__`.
pub const PREFIXED_NAME: Limit = Limit {
    what: "characters of a tool's name behind `mcp__verbgate__`",
    most: 49,
    source: "64 less the 15 characters that clients put in front; claude-code 2412",
    date: "2026-11-30",
};
/// Longest description that is known to be read whole.
pub const DESCRIPTION: Limit = Limit {
    what: "characters of a description",
    most: 1_024,
    source: "OpenAI's function descriptions",
    date: "2026-11-30",
};
/// Longest description that is not cut without a word.
pub const DESCRIPTION_CUT: Limit =
    Limit { what: "characters of a description", most: 2_048, source: "claude-code 41593", date: "2026-11-30" };
/// More tools than this make models choose worse.
pub const TOOLS: Limit =
    Limit { what: "tools", most: 40, source: "Cursor's limit of tools in one chat", date: "2026-11-30" };
/// More tools than this are refused.
pub const TOOLS_REFUSED: Limit =
    Limit { what: "tools", most: 128, source: "OpenAI's limit of functions in one request", date: "2026-11-30" };

/// All limits, for the documentation.
pub const LIMITS: &[Limit] = &[NAME, PREFIXED_NAME, DESCRIPTION, DESCRIPTION_CUT, TOOLS, TOOLS_REFUSED];

/// Rust's keywords, strict and reserved, editions up to 2024.
pub const RUST_KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Members that every JavaScript object has: an argument of such a name is "there" when it was not sent.
pub const JAVASCRIPT_MEMBERS: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];

/// Variables that make programs load or run code: a name or, with `*`, its beginning; and why.
pub const LOADS_CODE: &[(&str, &str)] = &[
    ("LD_*", "the loader takes libraries from it into every program"),
    ("DYLD_*", "macOS's loader takes libraries from it into every program"),
    ("GCONV_PATH", "the C library loads converters from it"),
    ("GLIBC_TUNABLES", "changes the C library beneath every program"),
    ("PYTHON*", "Python takes modules, start-up files or its own home from it"),
    ("NODE_*", "Node takes options and modules from it, `--require` among them"),
    ("NPM_CONFIG_*", "npm takes scripts and a shell from it"),
    ("npm_config_*", "npm takes scripts and a shell from it"),
    ("ELECTRON_RUN_AS_NODE", "turns an application into an interpreter"),
    ("GIT_*", "git takes programs, folders and configuration from it"),
    ("BASH_ENV", "bash runs the file before every script"),
    ("ENV", "sh runs the file when it starts"),
    ("BASH_FUNC_*", "bash takes functions from it"),
    ("SHELLOPTS", "changes how every bash beneath runs"),
    ("BASHOPTS", "changes how every bash beneath runs"),
    ("PS4", "bash evaluates it while tracing"),
    ("PROMPT_COMMAND", "bash runs it"),
    ("IFS", "changes how scripts split words"),
    ("ZDOTDIR", "zsh runs start-up files from it"),
    ("PERL5OPT", "Perl takes options from it, `-M` among them"),
    ("PERL5LIB", "Perl takes modules from it"),
    ("PERLLIB", "Perl takes modules from it"),
    ("PERL5DB", "Perl runs it"),
    ("RUBYOPT", "Ruby takes options from it, `-r` among them"),
    ("RUBYLIB", "Ruby takes modules from it"),
    ("GEM_HOME", "Ruby takes modules from it"),
    ("GEM_PATH", "Ruby takes modules from it"),
    ("JAVA_TOOL_OPTIONS", "every Java machine takes options from it, agents among them"),
    ("_JAVA_OPTIONS", "every Java machine takes options from it"),
    ("JDK_JAVA_OPTIONS", "Java's launcher takes options from it"),
    ("CLASSPATH", "Java takes classes from it"),
    ("LUA_INIT*", "Lua runs it"),
    ("LUA_PATH*", "Lua takes modules from it"),
    ("LUA_CPATH*", "Lua takes libraries from it"),
    ("PHPRC", "PHP takes its configuration from it, files to run among them"),
    ("PHP_INI_SCAN_DIR", "PHP takes its configuration from it"),
    ("R_PROFILE*", "R runs the file when it starts"),
    ("R_ENVIRON*", "R takes its environment from the file"),
    ("R_LIBS*", "R takes packages from it"),
    ("JULIA_LOAD_PATH", "Julia takes modules from it"),
    ("DOTNET_STARTUP_HOOKS", ".NET runs it when a program starts"),
    ("CORECLR_*", ".NET loads a profiler from it"),
    ("COR_*", ".NET loads a profiler from it"),
    ("TCLLIBPATH", "Tcl takes packages from it"),
    ("VIMINIT", "vim runs it when it starts"),
    ("EXINIT", "ex and vi run it when they start"),
    ("LESSOPEN", "less runs it on every file"),
    ("LESSCLOSE", "less runs it after every file"),
    ("SSH_ASKPASS", "ssh runs it to ask for a password"),
    ("SUDO_ASKPASS", "sudo runs it to ask for a password"),
    ("OPENSSL_CONF", "OpenSSL loads engines that it names"),
    ("OPENSSL_ENGINES", "OpenSSL loads engines from it"),
    ("OPENSSL_MODULES", "OpenSSL loads providers from it"),
    ("GTK_MODULES", "GTK loads modules that it names"),
    ("GTK_PATH", "GTK loads modules from it"),
    ("QT_PLUGIN_PATH", "Qt loads plugins from it"),
    ("RUSTC", "cargo runs it as the compiler"),
    ("RUSTC_WRAPPER", "cargo runs it around the compiler"),
    ("RUSTC_WORKSPACE_WRAPPER", "cargo runs it around the compiler"),
];

/// Variables of [`LOADS_CODE`] whose setting to one of these values only makes things safer (LANGUAGE section 3).
pub const SAFE_VALUES: &[(&str, &str)] = &[
    ("PYTHONSAFEPATH", "1"),
    ("PYTHONUTF8", "1"),
    ("PYTHONNOUSERSITE", "1"),
    ("PYTHONIOENCODING", "utf-8"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
];

/// The entry of [`LOADS_CODE`] that a variable, or all variables of a prefix, belong to.
pub fn loads_code(name: &str, is_prefix: bool) -> Option<(&'static str, &'static str)> {
    LOADS_CODE.iter().copied().find(|(entry, _)| match entry.strip_suffix('*') {
        Some(start) => name.starts_with(start) || (is_prefix && start.starts_with(name)),
        None => *entry == name || (is_prefix && entry.starts_with(name)),
    })
}

/// Programs that a manifest can't wrap: what they run is text.
pub const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "csh",
    "tcsh",
    "fish",
    "busybox",
    "toybox",
    "nu",
    "xonsh",
    "elvish",
    "cmd",
    "cmd.exe",
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
];

/// What of an interpreter's argv is code.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // a row of a table, whose columns they are
pub struct Interpreter {
    /// Names of the program; a version behind it counts too (`python3.11`).
    pub names: &'static [&'static str],
    /// Letters that, in a cluster of short options, are followed by code (`-c`, `-lc`).
    pub letters: &'static str,
    /// Long options (or long ones with one dash) that are followed by code.
    pub options: &'static [&'static str],
    /// Whether the first operand is code: a script, a program, a command line.
    pub operand: bool,
    /// Whether everything behind the name is code.
    pub all: bool,
    /// Whether standard input is code, unless an option or an operand brings the code.
    pub stdin: bool,
    /// Whether the name counts anywhere in an argv, not only as the program (or behind another interpreter); words
    /// that many programs use for verbs don't.
    pub anywhere: bool,
    /// Why.
    pub why: &'static str,
}

/// Interpreters.
pub const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "csh", "tcsh", "fish", "busybox"],
        letters: "c",
        options: &["--command"],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "a shell runs it",
    },
    Interpreter {
        names: &["python", "python2", "python3", "pypy", "pypy3"],
        letters: "cm",
        options: &[],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "Python runs it",
    },
    Interpreter {
        names: &["node", "nodejs", "bun", "deno"],
        letters: "epr",
        options: &["--eval", "--print", "--require", "--import", "--loader", "eval", "repl"],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "JavaScript is run from it",
    },
    Interpreter {
        names: &["perl"],
        letters: "eEMm",
        options: &[],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "Perl runs it",
    },
    Interpreter {
        names: &["ruby", "jruby"],
        letters: "er",
        options: &[],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "Ruby runs it",
    },
    Interpreter {
        names: &["php"],
        letters: "rBREfF",
        options: &["--run", "--process-code"],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "PHP runs it",
    },
    Interpreter {
        names: &["lua", "luajit"],
        letters: "el",
        options: &[],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "Lua runs it",
    },
    Interpreter {
        names: &[
            "Rscript",
            "R",
            "julia",
            "osascript",
            "guile",
            "racket",
            "ghc",
            "runghc",
            "groovy",
            "scala",
            "elixir",
            "tclsh",
            "expect",
        ],
        letters: "eEc",
        options: &["--eval", "--print"],
        operand: true,
        all: false,
        stdin: true,
        anywhere: false,
        why: "an interpreter runs it",
    },
    Interpreter {
        names: &["powershell", "powershell.exe", "pwsh", "pwsh.exe"],
        letters: "cCeE",
        options: &["-Command", "-EncodedCommand", "-File", "-command", "-file"],
        operand: true,
        all: false,
        stdin: true,
        anywhere: true,
        why: "PowerShell runs it",
    },
    Interpreter {
        names: &["cmd", "cmd.exe"],
        letters: "",
        options: &["/c", "/C", "/k", "/K"],
        operand: false,
        all: false,
        stdin: true,
        anywhere: true,
        why: "the command interpreter runs it",
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk"],
        letters: "ef",
        options: &["--source", "--exec", "--file"],
        operand: true,
        all: false,
        stdin: false,
        anywhere: true,
        why: "awk programs can run commands",
    },
    Interpreter {
        names: &["sed", "gsed"],
        letters: "ef",
        options: &["--expression", "--file"],
        operand: true,
        all: false,
        stdin: false,
        anywhere: false,
        why: "sed scripts can run commands and write files",
    },
    Interpreter {
        names: &["make", "gmake", "just"],
        letters: "f",
        options: &["--eval", "--file", "--makefile"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "recipes are run from it",
    },
    Interpreter {
        names: &["find"],
        letters: "",
        options: &["-exec", "-execdir", "-ok", "-okdir"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: true,
        why: "find runs it as a program",
    },
    Interpreter {
        names: &["fd", "fdfind"],
        letters: "xX",
        options: &["--exec", "--exec-batch"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "fd runs it as a program",
    },
    Interpreter {
        names: &["xargs", "parallel"],
        letters: "",
        options: &[],
        operand: false,
        all: true,
        stdin: true,
        anywhere: true,
        why: "it becomes the argv of another program",
    },
    Interpreter {
        names: &["ssh", "rsh", "mosh"],
        letters: "",
        options: &[],
        operand: false,
        all: true,
        stdin: false,
        anywhere: false,
        why: "a shell on the other machine runs it",
    },
    Interpreter {
        names: &[
            "env", "sudo", "doas", "su", "runuser", "nohup", "nice", "ionice", "chroot", "timeout", "stdbuf", "setsid",
            "unshare", "nsenter", "time", "watch", "strace", "ltrace", "flock", "entr", "script", "exec", "command",
            "eval", "npx", "uvx", "pipx",
        ],
        letters: "",
        options: &[],
        operand: false,
        all: true,
        stdin: false,
        anywhere: false,
        why: "it runs another program",
    },
    Interpreter {
        names: &["tar", "bsdtar"],
        letters: "",
        options: &["--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "tar runs it",
    },
    Interpreter {
        names: &["rsync"],
        letters: "e",
        options: &["--rsh", "--rsync-path"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "rsync runs it",
    },
    Interpreter {
        names: &["vim", "vi", "nvim", "ex", "emacs"],
        letters: "cSs",
        options: &["--cmd", "--eval", "--load", "-eval"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "the editor runs it",
    },
    Interpreter {
        names: &["gdb", "lldb"],
        letters: "xo",
        options: &["-ex", "--eval-command", "--command", "-iex"],
        operand: false,
        all: false,
        stdin: false,
        anywhere: false,
        why: "the debugger runs it",
    },
];

/// The interpreter of a program's name or path.
pub fn interpreter(word: &str) -> Option<&'static Interpreter> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|entry| entry.names.contains(&name) || (!bare.is_empty() && entry.names.contains(&bare)))
}

/// Whether the name of a variable looks like that of a secret; names of files that hold one do not count.
pub fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let about_file =
        ["_FILE", "_PATH", "_CREDENTIALS", "_DIR", "PASSFILE", "_SOCK"].iter().any(|end| upper.ends_with(end));
    !about_file
        && ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "_KEY", "CREDENTIAL", "_PWD"]
            .iter()
            .any(|part| upper.contains(part))
}
