// The native addon, checked before it is loaded, and calls through it. Nothing here knows Pi or any tool.

import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What `lib.rs` exports. */
interface Addon {
	table(): string;
	PiSession: new (options: string, tell: (told: string) => void) => Native;
}

interface Native {
	state(): string;
	here(session: string, workspace: string, epoch: number): void;
	turn(): void;
	call(id: string, tool: string, args: string, cwd: string, aborted: boolean): Promise<string>;
	abort(id: string): void;
	answer(ask: number, chosen: string | null, why: string | null, shown: number, terminal: boolean): void;
	stage(name: string, tool: string, delivered: string | null): string | null;
	providerStage(name: string, payload: string): string | null;
	end(): void;
}

/** One tool of the table. */
export interface Tool {
	name: string;
	label: string;
	program: string;
	description: string;
	parameters: Record<string, unknown>;
	outputSchema: Record<string, unknown>;
	annotations: Record<string, boolean>;
	secretArgument: string | null;
}

/** The table, as far as a host needs it. */
export interface Table {
	tools: Tool[];
	resultStages: { name: string; kind: "enrich" | "observe" | "normalise" | "downstream" | "sanitise"; tools: string[] }[];
	providerStages: { name: string; ours: boolean }[];
	/** In place of a result that a sanitiser could not look at. */
	withheld: { content: unknown[]; details: unknown };
}

/** What is on under a configuration, and what a person should hear of it. */
export interface State {
	tools: { name: string; off: string | null }[];
	stages: { name: string; on: boolean }[];
	notes: string[];
}

/** A configuration file: its text, or why it has none. */
export interface File {
	name: string;
	text?: string;
	fault?: string;
}

/** Where a session's configuration comes from. */
export interface Options {
	user: File | null;
	settings: unknown;
	project: File | null;
}

/** How a call ended. */
export interface Outcome {
	ok: boolean;
	code: string | null;
	text: string;
	details: Record<string, unknown>;
	fields: Record<string, unknown>;
}

/** One call. */
export interface Call {
	/** One that no running call has. */
	id: string;
	tool: string;
	/** As the model sent them: no member of them is read here. */
	args: unknown;
	cwd: string;
	signal?: AbortSignal;
	/** Shows a question; gives the chosen word. Without it every question goes unanswered. */
	select?: (text: string, options: string[], signal: AbortSignal) => Promise<string | undefined> | string | undefined;
	/** Whether `select` opens in a terminal, where keys may have been typed before. */
	terminal?: boolean;
	/** Lines of the program's output, cleaned. */
	progress?: (line: string) => void;
	/** Told true while a question is open. */
	asking?: (open: boolean) => void;
}

/** What the table loads as: the addon's table, and the sessions over it. */
export interface Loaded {
	table: Table;
	open(options: Options, heard?: (told: { type: string; [key: string]: unknown }) => void): Session;
}

const NO_DIALOG =
	"this session shows no dialog";

/**
 * Loads the addon from the package's folder.
 *
 * Throws an Error with one line that says why it can't be: another platform, a file that is missing or is not the one
 * that the package was made with, or what the system says.
 */
export function load(folder: string): Loaded {
	const platform = `${process.platform}-${process.arch}`;
	const native = join(folder, "native");
	const hashes: Record<string, string> = JSON.parse(read(join(native, "sha256.json"), "run `cargo xtask pi`").toString());
	const [addon, guardian] = [`verbgate-pi.${platform}.node`, `verbgate-guardian.${platform}`];
	if (!Object.hasOwn(hashes, addon)) {
		throw new Error(`this package has no addon for ${platform}; it has ${Object.keys(hashes).join(", ")}`);
	}
	if (process.platform === "linux" && !Object.hasOwn(hashes, guardian)) {
		throw new Error(`${join(native, "sha256.json")} names no ${guardian}; install the package again`);
	}
	for (const name of [addon, guardian].filter((name) => Object.hasOwn(hashes, name))) {
		const found = createHash("sha256").update(read(join(native, name), "install the package again")).digest("hex");
		if (found !== hashes[name]) {
			throw new Error(`${join(native, name)} is not the file that this package was made with; install the package again`);
		}
	}
	const exports: Addon = createRequire(import.meta.url)(join(native, addon));
	const beside = Object.hasOwn(hashes, guardian) ? join(native, guardian) : null;
	if (beside !== null) {
		try {
			accessSync(beside, constants.X_OK);
		} catch {
			throw new Error(`${beside} is not executable; install the package again`);
		}
	}
	return {
		table: JSON.parse(exports.table()),
		open: (options, heard) => new Session(exports, beside, options, heard),
	};
}

function read(file: string, mend: string): Buffer {
	try {
		return readFileSync(file);
	} catch (error) {
		throw new Error(`${file} can't be read (${(error as NodeJS.ErrnoException).code}): ${mend}`);
	}
}

/** One session: a table under a configuration, and the calls that run. */
export class Session {
	readonly #native: Native;
	readonly #calls = new Map<string, { call: Call; dialogs: Set<AbortController> }>();

	constructor(addon: Addon, guardian: string | null, options: Options, heard?: (told: { type: string }) => void) {
		this.#native = new addon.PiSession(JSON.stringify({ guardian, ...options }), (text) => {
			// A throw here would end the process.
			try {
				const told = JSON.parse(text);
				if (told.type === "ask") {
					this.#ask(told);
				} else if (told.type === "progress") {
					this.#calls.get(told.call)?.call.progress?.(told.line);
				} else {
					heard?.(told);
				}
			} catch {
				// An extension's own fault; the call goes on, and a question that was not shown is no yes.
			}
		});
	}

	/** Which tools and stages are on. */
	state(): State {
		return JSON.parse(this.#native.state());
	}

	/** Where calls come from, from now on. */
	here(session: string, workspace: string, epoch: number): void {
		this.#native.here(session, workspace, epoch);
	}

	/** A turn of the agent begins: declined questions are forgotten. */
	turn(): void {
		this.#native.turn();
	}

	/** Calls a tool. Never rejects. */
	async call(call: Call): Promise<Outcome> {
		const { id, tool, cwd, signal } = call;
		const dialogs = new Set<AbortController>();
		const abort = () => {
			this.#native.abort(id);
			for (const dialog of dialogs) dialog.abort();
		};
		if (this.#calls.has(id)) {
			return refused(`a call of the id ${id} is running`);
		}
		this.#calls.set(id, { call, dialogs });
		signal?.addEventListener("abort", abort, { once: true });
		try {
			return JSON.parse(await this.#native.call(id, tool, stringified(call.args), cwd, signal?.aborted ?? false));
		} catch {
			// Its text may be a panic's, and quote anything.
			return refused("the addon failed");
		} finally {
			signal?.removeEventListener("abort", abort);
			this.#calls.delete(id);
			// The call is over: nobody waits for an answer any more.
			for (const dialog of dialogs) dialog.abort();
		}
	}

	/** A result as a stage leaves it; undefined: as it is. What JSON can't say is handed over as nothing. */
	stage(name: string, tool: string, content: unknown, details: unknown): { content: unknown[]; details: unknown } | undefined {
		let delivered: string | null = null;
		try {
			delivered = JSON.stringify({ content, details }, wellFormed);
		} catch {
			// It refers to itself, or holds what is no JSON.
		}
		const changed = this.#native.stage(name, tool, delivered);
		return changed === null ? undefined : JSON.parse(changed);
	}

	/** A payload as a provider stage leaves it; undefined: as it is. */
	providerStage(name: string, payload: unknown): unknown {
		const changed = this.#native.providerStage(name, JSON.stringify(payload, wellFormed) ?? "null");
		return changed === null ? undefined : JSON.parse(changed);
	}

	/** Ends all calls and the session. */
	end(): void {
		this.#native.end();
	}

	#ask(told: { call: string; ask: number; text: string; options: string[]; within: number }): void {
		const running = this.#calls.get(told.call);
		const answer = (chosen: string | null, why: string | null, shown: number) =>
			this.#native.answer(told.ask, chosen, why, shown, running?.call.terminal ?? false);
		const select = running?.call.select;
		if (running === undefined || select === undefined) {
			answer(null, NO_DIALOG, 0);
			return;
		}
		const dialog = new AbortController();
		running.dialogs.add(dialog);
		const late = setTimeout(() => dialog.abort(), told.within);
		late.unref();
		running.call.asking?.(true);
		let opened = 0;
		Promise.resolve()
			.then(() => {
				opened = performance.now();
				return select(told.text, told.options, dialog.signal);
			})
			.then(
				(chosen) => answer(typeof chosen === "string" ? chosen : null, null, performance.now() - opened),
				() => answer(null, "the dialog failed", 0),
			)
			.finally(() => {
				clearTimeout(late);
				running.dialogs.delete(dialog);
				running.call.asking?.(false);
			})
			.catch(() => {});
	}
}

/** Half a surrogate pair is no text that could be looked through: it becomes U+FFFD, as it does on its way out. */
function wellFormed(_key: string, value: unknown): unknown {
	return typeof value === "string" ? (value as string & { toWellFormed(): string }).toWellFormed() : value;
}

/** Arguments as text; what JSON can't say becomes no JSON, which is refused with words for it. */
function stringified(args: unknown): string {
	try {
		return JSON.stringify(args) ?? "";
	} catch {
		return "";
	}
}

function refused(why: string): Outcome {
	const text = `UNAVAILABLE: the call can't be made: ${why}\nhint: nothing was run; try again`;
	return { ok: false, code: "UNAVAILABLE", text, details: { code: "UNAVAILABLE" }, fields: {} };
}
