//! From checked arguments to exactly what will be run. Done before the question, and again after lock and precondition.

use std::ffi::OsString;

use crate::config::FileSettings;
use crate::host::{Host, Identity};
use crate::outcome::Failure;
use crate::paths::{Destination, Roots, Rule, Workspace, locate};
use crate::plan::Plan;
use crate::program::{self, Program};
use crate::session::Session;
use crate::table::args::{Refusal, Values};
use crate::table::secret::Secret;
use crate::table::{FileSpec, ToolSpec, argv, template};
use crate::{Code, table};

/// What all runs of one call share.
pub(crate) struct Ground<'t, 'g> {
    pub(crate) session: &'t Session,
    pub(crate) host: &'g dyn Host,
    pub(crate) origin: &'g Identity,
    pub(crate) file: &'t FileSpec,
    pub(crate) settings: &'g FileSettings,
}

/// One verb, ready to be run.
pub(crate) struct Prepared<'a> {
    /// Arguments with paths absolute.
    pub(crate) values: Values<'a>,
    /// The argv behind the program's name.
    pub(crate) argv: Vec<String>,
    /// Given on standard input.
    pub(crate) stdin: Option<Secret>,
    /// What it needs of the machine; none where the program was not found, with the reason.
    pub(crate) placed: Result<Placed, Failure>,
}

/// The machine's part.
pub(crate) struct Placed {
    pub(crate) program: Program,
    pub(crate) workspace: Workspace,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) destinations: Vec<Destination>,
    /// The folders where an agent can write: nothing of ours is kept there.
    pub(crate) roots: Vec<std::path::PathBuf>,
}

/// Holds paths to the roots, renders the argv, finds the program, looks at the workspace. Starts nothing.
///
/// # Errors
/// The first of: the working directory, a path, the argv, what is refused in the working directory. A program that is
/// not found is no error here, since `render` shows the argv all the same.
pub(crate) fn prepare<'a>(ground: &Ground<'_, '_>, mut values: Values<'a>) -> Result<Prepared<'a>, Failure> {
    let spec = &ground.file.program;
    let environment = ground.session.environment();
    let workspace = Workspace::open(ground.host.cwd())?;
    let roots = Roots::read(&spec.roots, &workspace, environment);
    let mut destinations = Vec::new();
    values.try_map_paths(|argument, given| {
        let rule = Rule {
            argument: argument.name,
            access: argument.access,
            must_be: argument.must_be,
            sensitive: argument.sensitive,
        };
        let located = locate(given, &rule, &workspace, &roots)?;
        destinations.extend(located.destination);
        Ok::<_, Failure>(located.path)
    })?;
    let argv = argv::render(spec, values.verb(), &values).map_err(refused)?;
    let stdin = template::stdin(values.verb(), &values).map_err(refused)?;
    let verb_env = template::env(values.verb(), &values).map_err(refused)?;
    let folders: Vec<_> = roots.folders().map(ToOwned::to_owned).collect();
    let placed =
        program::find(&ground.settings.executable, spec, environment, &workspace, &roots).and_then(|program| {
            program::refuse_files(spec, ground.settings, &workspace)?;
            let verb_env: Vec<_> =
                verb_env.iter().map(|(name, value)| ((*name).to_owned(), value.expose().to_owned())).collect();
            let env = program::environment(spec, environment, &verb_env, &program)?;
            Ok(Placed { program, workspace, env, destinations, roots: folders })
        });
    Ok(Prepared { values, argv, stdin, placed })
}

impl Prepared<'_> {
    /// What a yes is given for.
    pub(crate) fn plan(&self, ground: &Ground<'_, '_>, tool: &ToolSpec) -> Result<Plan, Failure> {
        let placed = self.placed.as_ref().map_err(Clone::clone)?;
        Ok(Plan {
            tool: tool.name.clone().into_owned(),
            action: self.values.verb().action.clone().map(table::Text::into_owned),
            program: placed.program.file.clone(),
            program_identity: placed.program.identity,
            argv: self.argv.iter().map(OsString::from).collect(),
            directory: placed.workspace.path.clone(),
            directory_identity: placed.workspace.identity,
            environment: placed.env.clone(),
            stdin: self.stdin.as_ref().map(|text| text.expose().as_bytes().to_vec()),
            destinations: placed.destinations.clone(),
            session: ground.origin.session.clone(),
            epoch: ground.origin.epoch,
        })
    }
}

/// Arguments that can't work, as a failure.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::new(Code::InvalidArgument, refusal.message, refusal.hint)
}
