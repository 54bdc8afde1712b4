//! The shapes themselves, as data: `build.rs` reads this file, too, and does not build a table that can't be used.
//!
//! The shapes are facts that their makers publish (or that gitleaks' rule list, MIT licence, names); the expressions are
//! our own. Each rule's examples are checked by a test.

/// One shape. The expression is tried at each place of a keyword that no word character stands before; it masks its
/// group 1, else all of it.
pub(crate) struct Rule {
    /// What is shown: `(redacted: NAME)`.
    pub(crate) name: &'static str,
    /// What is looked for first; the expression begins there.
    pub(crate) keywords: &'static [&'static str],
    /// Whether the keyword may stand inside a word.
    pub(crate) inside: bool,
    /// Anchored at the keyword.
    pub(crate) pattern: &'static str,
    /// Where the shape is known from, and under which terms.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) source: &'static str,
    /// Text that must be masked, in two parts, so that this file holds no token itself.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) yes: [&'static str; 2],
    /// Text that must stay.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) no: &'static str,
}

const GITLEAKS: &str = "gitleaks rule list, MIT; expression our own";

/// The table, in no order of meaning: where keywords overlap, the longest is tried first.
#[rustfmt::skip]
pub(crate) const RULES: &[Rule] = &[
    Rule { name: "github-token", inside: false, keywords: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], pattern: r"gh[pousr]_[A-Za-z0-9_]{30,}",
        source: "docs.github.com, token formats; fact", yes: ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"], no: "ghp_short and high_scores" },
    Rule { name: "github-token", inside: false, keywords: &["github_pat_"], pattern: r"github_pat_[A-Za-z0-9_]{22,}",
        source: "docs.github.com, token formats; fact", yes: ["github_pat_", "11AAAAAAA0abcdefghijkl_mnopqrstuvwxyz"], no: "github_pat_1" },
    Rule { name: "gitlab-token", inside: false, keywords: &["glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-"], pattern: r"gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{20,}",
        source: "docs.gitlab.com, token prefixes; fact", yes: ["glpat-", "abcdefghij0123456789"], no: "glpat-short" },
    Rule { name: "aws-access-key-id", inside: false, keywords: &["AKIA", "ASIA", "ABIA", "ACCA"], pattern: r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}\b",
        source: "docs.aws.amazon.com, IAM identifiers; fact", yes: ["AKIA", "IOSFODNN7EXAMPLE"], no: "ASIA and AKIASHORT" },
    Rule { name: "aws-secret-key", inside: true, keywords: &["aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"],
        pattern: r#"(?i)(?:aws_)?secret_?access_?key["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9/+=]{40})"#,
        source: "docs.aws.amazon.com, credentials file; fact", yes: ["aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"], no: "aws_secret_access_key = unset" },
    Rule { name: "aws-session-token", inside: true, keywords: &["aws_session_token", "AWS_SESSION_TOKEN", "SessionToken"],
        pattern: r#"(?i)(?:aws_)?session_?token["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9/+=]{60,})"#,
        source: "docs.aws.amazon.com, credentials file; fact", yes: ["AWS_SESSION_TOKEN=", "IQoJb3JpZ2luX2VjEJr//////////wEaCXVzLWVhc3QtMSJHMEUCIQDabcdefghijklmnop"], no: "SessionToken: none" },
    Rule { name: "azure-account-key", inside: false, keywords: &["AccountKey="], pattern: r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})",
        source: "learn.microsoft.com, connection strings; fact", yes: ["AccountKey=", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq=="], no: "AccountKey=;" },
    Rule { name: "slack-token", inside: false, keywords: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"], pattern: r"x(?:ox[abprse]|app)[-.][A-Za-z0-9.-]{10,}",
        source: "api.slack.com, token types; fact", yes: ["xoxb-", "17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy"], no: "xoxb-" },
    Rule { name: "slack-webhook", inside: true, keywords: &["hooks.slack.com/"], pattern: r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
        source: "api.slack.com, incoming webhooks; fact", yes: ["https://hooks.slack.com/", "services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"], no: "hooks.slack.com/docs" },
    Rule { name: "google-api-key", inside: false, keywords: &["AIza"], pattern: r"AIza[A-Za-z0-9_-]{35}",
        source: GITLEAKS, yes: ["AIza", "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe"], no: "AIzawa" },
    Rule { name: "google-oauth", inside: false, keywords: &["ya29.", "GOCSPX-"], pattern: r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}",
        source: "developers.google.com, OAuth; fact", yes: ["ya29.", "a0AfH6SMBx-abcdefghijklmnop"], no: "ya29.x" },
    Rule { name: "openai-key", inside: false, keywords: &["sk-"], pattern: r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}",
        source: GITLEAKS, yes: ["sk-", "proj-abcdefghij0123456789T3BlbkFJabcdefghij"], no: "sk-learn and task-abcdefghij0123456789abcdef" },
    Rule { name: "anthropic-key", inside: false, keywords: &["sk-ant-"], pattern: r"sk-ant-[A-Za-z0-9_-]{20,}",
        source: GITLEAKS, yes: ["sk-ant-", "api03-abcdefghij0123456789"], no: "sk-ant-x" },
    Rule { name: "stripe-key", inside: false, keywords: &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], pattern: r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}",
        source: "docs.stripe.com, keys; fact", yes: ["sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"], no: "sk_test_x" },
    Rule { name: "npm-token", inside: false, keywords: &["npm_"], pattern: r"npm_[A-Za-z0-9]{36,}",
        source: "github.blog, npm token format; fact", yes: ["npm_", "abcdefghijklmnopqrstuvwxyz0123456789"], no: "npm_config_cache" },
    Rule { name: "pypi-token", inside: false, keywords: &["pypi-"], pattern: r"pypi-[A-Za-z0-9_-]{50,}",
        source: "pypi.org/help, API tokens; fact", yes: ["pypi-", "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMAAC"], no: "pypi-server-1.0" },
    Rule { name: "rubygems-key", inside: false, keywords: &["rubygems_"], pattern: r"rubygems_[a-f0-9]{48}",
        source: "guides.rubygems.org; fact", yes: ["rubygems_", "0123456789abcdef0123456789abcdef0123456789abcdef"], no: "rubygems_plugin" },
    Rule { name: "jwt", inside: false, keywords: &["eyJ"], pattern: r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
        source: "RFC 7519; fact", yes: ["eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"], no: "eyJhbGciOiJIUzI1NiJ9 alone" },
    Rule { name: "sendgrid-key", inside: false, keywords: &["SG."], pattern: r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        source: GITLEAKS, yes: ["SG.", "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"], no: "SG.a.b" },
    Rule { name: "huggingface-token", inside: false, keywords: &["hf_"], pattern: r"hf_[A-Za-z0-9]{30,}",
        source: "huggingface.co/docs, tokens; fact", yes: ["hf_", "abcdefghijklmnopqrstuvwxyzABCDEFGH"], no: "hf_hub_download" },
    Rule { name: "digitalocean-token", inside: false, keywords: &["dop_v1_", "doo_v1_", "dor_v1_"], pattern: r"do[por]_v1_[a-f0-9]{64}",
        source: "docs.digitalocean.com; fact", yes: ["dop_v1_", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"], no: "dop_v1_x" },
    Rule { name: "shopify-token", inside: false, keywords: &["shpat_", "shpca_", "shppa_", "shpss_"], pattern: r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        source: "shopify.dev, token formats; fact", yes: ["shpat_", "0123456789abcdef0123456789abcdef"], no: "shpat_x" },
    Rule { name: "docker-token", inside: false, keywords: &["dckr_pat_", "dckr_oat_"], pattern: r"dckr_[po]at_[A-Za-z0-9_-]{20,}",
        source: "docs.docker.com, access tokens; fact", yes: ["dckr_pat_", "abcdefghijklmnopqrstuvwxyz0"], no: "dckr_pat_x" },
    Rule { name: "telegram-token", inside: true, keywords: &[":AA"], pattern: r":(AA[A-Za-z0-9_-]{32,34})\b",
        source: "core.telegram.org/bots; fact", yes: ["110201543:AA", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw01"], no: "a:AAbc" },
    Rule { name: "databricks-token", inside: false, keywords: &["dapi"], pattern: r"dapi[a-f0-9]{32}(?:-\d)?",
        source: GITLEAKS, yes: ["dapi", "0123456789abcdef0123456789abcdef"], no: "dapi/v1" },
    Rule { name: "vault-token", inside: false, keywords: &["hvs.", "hvb.", "hvr."], pattern: r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
        source: "developer.hashicorp.com, vault tokens; fact", yes: ["hvs.", "CAESIAbcdefghijklmnopqrstuvwxyz"], no: "hvs.x" },
    Rule { name: "age-key", inside: false, keywords: &["AGE-SECRET-KEY-1"], pattern: r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
        source: "age-encryption.org; fact", yes: ["AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"], no: "AGE-SECRET-KEY-1 is how it begins" },
    Rule { name: "grafana-token", inside: false, keywords: &["glsa_", "glc_"], pattern: r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}",
        source: GITLEAKS, yes: ["glsa_", "abcdefghijklmnopqrstuvwxyz012345_0a1b2c3d"], no: "glc_x" },
    Rule { name: "postman-key", inside: false, keywords: &["PMAK-"], pattern: r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
        source: GITLEAKS, yes: ["PMAK-", "0123456789abcdef01234567-0123456789abcdef0123456789abcdef01"], no: "PMAK-1" },
    Rule { name: "linear-key", inside: false, keywords: &["lin_api_"], pattern: r"lin_api_[A-Za-z0-9]{32,}",
        source: GITLEAKS, yes: ["lin_api_", "abcdefghijklmnopqrstuvwxyz0123456789abcd"], no: "lin_api_x" },
    Rule { name: "authorization", inside: true, keywords: &["uthorization:", "UTHORIZATION:", "uthorization\":", "uthorization="],
        pattern: r#"(?i)uthorization"?[:=]\s{0,3}["']?(?:(?:bearer|basic|token|digest|apikey)\s{1,3})?([^\s"',;]{8,})"#,
        source: "RFC 9110, 11.6.2; fact", yes: ["Authorization: ", "Bearer abcdef0123456789"], no: "Authorization: none" },
    Rule { name: "bearer-token", inside: false, keywords: &["Bearer "], pattern: r"Bearer\s([A-Za-z0-9._~+/-]{20,}=*)",
        source: "RFC 6750, 2.1; fact", yes: ["Bearer ", "mF_9.B5f-4.1JqM0123456789"], no: "Bearer of good news" },
];

impl Rule {
    /// What is compiled of it.
    pub(crate) fn expression(&self) -> String {
        format!(r"\A(?:{})", self.pattern)
    }
}
