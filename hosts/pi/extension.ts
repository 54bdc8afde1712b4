// The tools of the table inside Pi. Every name, text and schema comes from the addon: none is written here.

import { closeSync, fstatSync, openSync, readFileSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type File, type Loaded, type Outcome, type Session, type Tool, load } from "./addon.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
/** Name of the configuration file, in Pi's folder of the user and in `.pi` of a project. */
const FILE = "cgc.json";
/** Largest configuration file that is read, in bytes. */
const LARGEST = 1 << 20;
/** How long a program runs before a status line says so, in milliseconds. */
const PATIENCE = 1000;
/** Lines of progress that are shown at once. */
const LINES = 10;

export default function verbgate(pi: ExtensionAPI): void {
	const said = new Set<string>();
	const say = (ctx: ExtensionContext, text: string) => {
		const line = `verbgate: ${text}`;
		if (said.has(line)) return;
		said.add(line);
		if (ctx.hasUI) ctx.ui.notify(line, "warning");
		else console.error(line);
	};

	let loaded: Loaded;
	try {
		loaded = load(HERE);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		pi.on("session_start", (_event, ctx) => say(ctx, `no tool is there: ${reason}`));
		return;
	}

	const own = new Set(loaded.table.tools.map((tool) => tool.name));
	/** Details of results of ours that failed: by identity, since a name is nobody's own. */
	const failed = new WeakSet<object>();
	/** Calls of those results, until their result comes by: an extension before this one may have replaced the details. */
	const failedCalls = new Set<string>();
	const registered = new Set<string>();
	let session: Session | undefined;
	/** The session whose stages results pass: the last one, also after its end, since results may still come. */
	let chain: Session | undefined;
	let on = new Map<string, boolean>();
	let epoch = 0;
	let calls = 0;

	// Before the stages, which replace details.
	pi.on("tool_result", (event) => {
		const details: unknown = event.details;
		const known = typeof details === "object" && details !== null && failed.has(details);
		const called = own.has(event.toolName) && failedCalls.delete(event.toolCallId);
		return known || called ? { isError: true } : undefined;
	});

	// Each stage is a registration of its own, in the table's order. Enrichers and what is downstream are other packages'.
	for (const stage of loaded.table.resultStages) {
		if (stage.kind === "enrich" || stage.kind === "downstream") continue;
		const named = new Set(stage.tools);
		pi.on("tool_result", (event) => {
			if (chain === undefined || !on.get(stage.name)) return undefined;
			if (!own.has(event.toolName) && !named.has(event.toolName)) return undefined;
			try {
				const changed = chain.stage(stage.name, event.toolName, event.content, event.details);
				if (stage.kind === "observe") return undefined;
				if (stage.kind === "normalise") return changed && { details: changed.details };
				return cleaned(chain, stage.name, event, changed);
			} catch {
				// A handler that throws is skipped by Pi: what a sanitiser has not seen must not pass for clean.
				return stage.kind === "sanitise" ? (loaded.table.withheld as never) : undefined;
			}
		});
	}
	for (const stage of loaded.table.providerStages) {
		if (!stage.ours) continue;
		pi.on("before_provider_request", (event) => chain?.providerStage(stage.name, event.payload));
	}

	pi.on("agent_start", () => session?.turn());
	pi.on("session_shutdown", () => {
		session?.end();
		session = undefined;
	});
	pi.on("session_start", (_event, ctx) => {
		session?.end();
		session = undefined;
		failedCalls.clear();
		epoch += 1;
		let opened: Session;
		try {
			opened = loaded.open(configuration(pi, ctx), (told) => {
				if (told.type === "log") say(ctx, String(told.text));
				else if (told.type === "observed") pi.events.emit("verbgate:observed", told);
			});
		} catch {
			say(ctx, "no tool is there: the session could not be opened");
			return;
		}
		session = opened;
		chain = opened;
		const state = opened.state();
		for (const note of state.notes) say(ctx, note);
		on = new Map(state.stages.map((stage) => [stage.name, stage.on]));
		const off = new Map(state.tools.map((tool) => [tool.name, tool.off !== null]));
		register(ctx, loaded.table.tools.filter((tool) => !off.get(tool.name)));
	});

	function register(ctx: ExtensionContext, tools: Tool[]): void {
		const owners = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo?.path ?? "another extension"]));
		for (const tool of tools) {
			if (registered.has(tool.name)) continue;
			if (tool.secretArgument !== null) {
				say(
					ctx,
					`${tool.name} is not there: Pi stores arguments in the clear before a tool sees them, and its argument ${tool.secretArgument} is a secret`,
				);
				continue;
			}
			const owner = owners.get(tool.name);
			if (owner !== undefined) {
				say(ctx, `${tool.name} is not there: ${owner} owns a tool of that name; remove one of the two`);
				continue;
			}
			registered.add(tool.name);
			pi.registerTool({
				name: tool.name,
				label: tool.label,
				description: tool.description,
				// Plain JSON Schema; Pi takes it as it takes TypeBox's.
				parameters: tool.parameters as never,
				// Read by versions that have them.
				...{ outputSchema: tool.outputSchema, annotations: tool.annotations },
				execute: (id, args, signal, onUpdate, context) => execute(tool, id, args, signal, onUpdate, context),
			} as Parameters<ExtensionAPI["registerTool"]>[0]);
		}
		// A session that switches tools off finds those of the one before it.
		const wanted = new Set(tools.map((tool) => tool.name));
		const active = pi.getActiveTools();
		const left = active.filter((name) => !registered.has(name) || wanted.has(name));
		if (left.length !== active.length) pi.setActiveTools(left);
		// Whoever was loaded first wins, silently: so look who did.
		const now = new Map(pi.getAllTools().map((tool) => [tool.name, tool]));
		for (const tool of tools.filter((tool) => registered.has(tool.name))) {
			const there = now.get(tool.name);
			if (there !== undefined && there.description !== tool.description) {
				say(ctx, `${tool.name} is not this package's: ${there.sourceInfo?.path ?? "another extension"} owns the name`);
			}
		}
	}

	async function execute(
		tool: Tool,
		id: string,
		args: unknown,
		signal: AbortSignal | undefined,
		onUpdate: ((partial: never) => void) | undefined,
		ctx: ExtensionContext,
	) {
		calls += 1;
		const running = session;
		if (running === undefined) {
			return result(id, { ok: false, code: "UNAVAILABLE", text: "UNAVAILABLE: the session has ended\nhint: nothing was run", details: {}, fields: {} });
		}
		running.here(ctx.sessionManager.getSessionId(), ctx.cwd, epoch);
		const lines: string[] = [];
		const status = statusLine(ctx, `verbgate-${calls}`, tool.program);
		try {
			return result(
				id,
				await running.call({
					id: `${id}#${calls}`,
					tool: tool.name,
					args,
					cwd: ctx.cwd,
					signal,
					select: ctx.hasUI ? (text, options, closed) => ctx.ui.select(text, options, { signal: closed }) : undefined,
					// Keys are typed ahead everywhere but where a program answers.
					terminal: (ctx as { mode?: string }).mode !== "rpc",
					progress: (line) => {
						lines.push(line);
						if (lines.length > LINES) lines.shift();
						onUpdate?.({ content: [{ type: "text", text: lines.join("\n") }], details: {} } as never);
					},
					asking: (open) => (open ? status.clear() : status.start()),
				}),
			);
		} finally {
			status.end();
		}
	}

	/** As Pi takes it: only `content` reaches the model; a version that knows no `isError` reads the handler's patch. */
	function result(id: string, outcome: Outcome) {
		if (!outcome.ok) {
			failed.add(outcome.details);
			failedCalls.add(id);
		}
		return {
			content: [{ type: "text" as const, text: outcome.text }],
			details: outcome.details,
			isError: !outcome.ok,
			...(outcome.ok ? { structuredContent: outcome.fields } : {}),
		};
	}
}

/** What a sanitiser leaves: also of what newer versions carry beside content and details. */
function cleaned(session: Session, name: string, event: { toolName: string }, changed: { content: unknown[]; details: unknown } | undefined) {
	const structured = (event as { structuredContent?: unknown }).structuredContent;
	if (structured === undefined) return changed as never;
	const beside = session.stage(name, event.toolName, [], structured);
	if (changed === undefined && beside === undefined) return undefined;
	const content = changed?.content ?? (event as { content?: unknown }).content;
	// Replacing content alone would drop the other.
	return { ...changed, content, structuredContent: beside === undefined ? structured : beside.details } as never;
}

/** A status line for as long as a program runs longer than a second. */
function statusLine(ctx: ExtensionContext, key: string, program: string) {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let shown = false;
	let over = false;
	const show = (text: string | undefined) => {
		try {
			if (ctx.hasUI) ctx.ui.setStatus(key, text);
			shown = text !== undefined;
		} catch {
			// A session that was replaced has no status line.
		}
	};
	const clear = () => {
		clearTimeout(timer);
		if (shown) show(undefined);
	};
	const start = () => {
		clear();
		// A dialog may be answered after its call has ended.
		if (over) return;
		timer = setTimeout(() => show(`${program} is running`), PATIENCE);
		timer.unref();
	};
	const end = () => {
		over = true;
		clear();
	};
	start();
	return { clear, start, end };
}

/** The user's file, Pi's own settings where there are any, and the file of a project that is trusted. */
function configuration(pi: ExtensionAPI, ctx: ExtensionContext) {
	const settings = (pi as { getSettings?: () => unknown }).getSettings;
	return {
		user: file(join(getAgentDir(), FILE)),
		settings: settings === undefined ? null : (settings.call(pi) ?? null),
		project: ctx.isProjectTrusted() ? file(join(ctx.cwd, ".pi", FILE)) : null,
	};
}

/** A regular file's text; null: there is none. */
function file(name: string): File | null {
	let opened: number | undefined;
	try {
		// Without waiting for whoever writes, should it be a FIFO.
		opened = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
		const stat = fstatSync(opened);
		if (!stat.isFile()) return { name, fault: "it is no regular file" };
		if (stat.size > LARGEST) return { name, fault: "it is larger than 1 MiB" };
		return { name, text: readFileSync(opened, "utf8") };
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		return code === "ENOENT" || code === "ENOTDIR" ? null : { name, fault: code ?? "it can't be opened" };
	} finally {
		if (opened !== undefined) closeSync(opened);
	}
}
