//! From checked arguments to exactly what will be run. Done before the question, and again after lock and precondition.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::FileSettings;
use crate::host::{Host, Identity};
use crate::outcome::Failure;
use crate::paths::{Destination, FileIdentity, Roots, Rule, Workspace, locate};
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
    pub(crate) workspace: Workspace,
    pub(crate) destinations: Vec<Destination>,
    /// The folders where an agent can write: nothing of ours is kept there.
    pub(crate) roots: Vec<PathBuf>,
    /// The program's file, or why there is none. Not an error of [`prepare`], since `render` shows what would be run all
    /// the same.
    pub(crate) program: Result<Program, Failure>,
    /// The child's environment, or why nothing may be run here.
    pub(crate) env: Result<Vec<(OsString, OsString)>, Failure>,
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
    let program = program::find(&ground.settings.executable, spec, environment, &workspace, &roots);
    let env = program.as_ref().map_err(Clone::clone).and_then(|program| {
        program::refuse_files(spec, ground.settings, &workspace)?;
        let verb_env: Vec<_> =
            verb_env.iter().map(|(name, value)| ((*name).to_owned(), value.expose().to_owned())).collect();
        program::environment(spec, environment, &verb_env, program)
    });
    Ok(Prepared { values, argv, stdin, workspace, destinations, roots: folders, program, env })
}

impl Prepared<'_> {
    /// What a yes is given for.
    ///
    /// # Errors
    /// There is no program, or nothing may be run here.
    pub(crate) fn plan(&self, ground: &Ground<'_, '_>, tool: &ToolSpec) -> Result<Plan, Failure> {
        let program = self.program.as_ref().map_err(Clone::clone)?;
        let env = self.env.as_ref().map_err(Clone::clone)?;
        Ok(self.plan_with(ground, tool, (program.file.clone(), Some(program.identity)), env.clone()))
    }

    /// The same for showing only: the bare name where there is no program. Equal to no plan that could be run.
    pub(crate) fn sketch(&self, ground: &Ground<'_, '_>, tool: &ToolSpec) -> Plan {
        let program = match &self.program {
            Ok(program) => program.file.clone(),
            Err(_) => PathBuf::from(&ground.settings.executable.value),
        };
        self.plan_with(ground, tool, (program, None), Vec::new())
    }

    fn plan_with(
        &self,
        ground: &Ground<'_, '_>,
        tool: &ToolSpec,
        (program, program_identity): (PathBuf, Option<FileIdentity>),
        environment: Vec<(OsString, OsString)>,
    ) -> Plan {
        // As it stands now, not as it stood when the call began: a yes does not outlive its session or runtime (C2.7).
        let origin = ground.host.identity();
        Plan {
            tool: tool.name.clone().into_owned(),
            action: self.values.verb().action.clone().map(table::Text::into_owned),
            program,
            program_identity,
            argv: self.argv.iter().map(OsString::from).collect(),
            directory: self.workspace.path.clone(),
            directory_identity: self.workspace.identity,
            environment,
            stdin: self.stdin.as_ref().map(|text| text.expose().as_bytes().to_vec()),
            destinations: self.destinations.clone(),
            session: origin.session,
            epoch: origin.epoch,
        }
    }
}

/// Arguments that can't work, as a failure.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::new(Code::InvalidArgument, refusal.message, refusal.hint)
}
