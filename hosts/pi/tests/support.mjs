// What the tests of the Pi host share: a scripted model, Pi itself in its rpc mode, places to run in.
// `cargo xtask test` says where everything is.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

function told(name) {
	const value = process.env[name];
	assert.ok(value, `${name} is not set: run \`cargo xtask test\``);
	return value;
}

/** The package under test, complete. */
export const PACKAGE = told("VERBGATE_PI_PACKAGE");
/** Where npm has put Node and Pi. */
export const MODULES = join(told("VERBGATE_PI_NPM"), "node_modules");
/** The project's folder. */
export const ROOT = told("VERBGATE_ROOT");
/** The real cgc and its Python. */
export const CGC = told("VERBGATE_CGC");
const PYTHON = told("VERBGATE_PYTHON");

/** The program of one Node. */
export const node = (version) => join(MODULES, `node-${version}`, "bin/node");
/** The versions of Pi. */
export const PIS = ["pi-0.85", "pi-1.6"];
const cli = (pi) => join(MODULES, pi, "dist/bundle/cli.js");

/** A folder of one's own: a HOME, Pi's folder, a workspace, and a `cgc` on PATH that leaves a line for each start. */
export class Place {
	constructor(program = CGC) {
		this.root = mkdtempSync(join(tmpdir(), "verbgate-pi-"));
		for (const name of ["home", "agent", "workspace", "bin", "run"]) mkdirSync(join(this.root, name), { recursive: true });
		mkdirSync(join(this.root, "home/.codegraphcontext"));
		writeFileSync(join(this.root, "home/.codegraphcontext/.env"), "DEFAULT_DATABASE=kuzudb\n");
		if (program !== null) this.install(`exec '${program}' "$@"`);
	}
	at(...parts) {
		return join(this.root, ...parts);
	}
	/** Puts a script named `cgc` on PATH. */
	install(then) {
		writeFileSync(this.at("bin/cgc"), `#!/bin/sh\necho "$*" >> '${this.at("record")}'\n${then}\n`);
		chmodSync(this.at("bin/cgc"), 0o755);
	}
	/** Arguments of every start of the program so far. */
	starts() {
		return existsSync(this.at("record")) ? readFileSync(this.at("record"), "utf8").trimEnd().split("\n") : [];
	}
	env(more = {}) {
		return {
			PATH: `${this.at("bin")}:/usr/bin:/bin`,
			HOME: this.at("home"),
			LANG: "C.UTF-8",
			XDG_RUNTIME_DIR: this.at("run"),
			PI_CODING_AGENT_DIR: this.at("agent"),
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			PI_SKIP_VERSION_CHECK: "1",
			...more,
		};
	}
	/** Runs the real program before a test. */
	prepare(...args) {
		execFileSync(CGC, args, { cwd: this.at("workspace"), env: this.env(), stdio: "ignore" });
	}
	/** Indexes a copy of the sample repository; gives its name in the workspace. */
	index() {
		cpSync(join(ROOT, "tests/data/sample-repo"), this.at("workspace/library"), { recursive: true });
		this.prepare("index", "library");
		return "library";
	}
	/** Holds the database as another program would; gives what lets go. */
	async hold() {
		const code =
			"import kuzu, sys\nheld = kuzu.Database(sys.argv[1])\nkuzu.Connection(held)\nprint('held', flush=True)\nsys.stdin.read()";
		const database = this.at("home/.codegraphcontext/global/db/kuzudb");
		const child = spawn(PYTHON, ["-c", code, database], { env: this.env(), stdio: ["pipe", "pipe", "inherit"] });
		await new Promise((resolve) => child.stdout.once("data", resolve));
		return () => child.kill("SIGKILL");
	}
	/** All that Pi has stored of the sessions. */
	stored() {
		const texts = [];
		const look = (folder) => {
			for (const entry of readdirSync(folder, { withFileTypes: true })) {
				const path = join(folder, entry.name);
				if (entry.isDirectory()) look(path);
				else if (entry.name.endsWith(".jsonl")) texts.push(readFileSync(path, "utf8"));
			}
		};
		look(this.at("agent"));
		return texts.join("");
	}
	/** Names of everything in the workspace. */
	files() {
		return readdirSync(this.at("workspace"), { recursive: true }).map(String).sort();
	}
	remove() {
		rmSync(this.root, { recursive: true, force: true });
	}
}

/**
 * A model on loopback that does what the user's last message says: `CALL <JSON array of {name, arguments}>` makes those
 * calls, a tool's result ends the turn. `arguments` that are text go out as they are.
 */
export async function model() {
	const requests = [];
	const server = http.createServer(async (request, response) => {
		let body = "";
		for await (const part of request) body += part;
		if (request.method !== "POST" || !request.url.endsWith("/chat/completions")) return response.writeHead(404).end();
		const asked = JSON.parse(body);
		requests.push(asked);
		const last = asked.messages.at(-1);
		const text = typeof last.content === "string" ? last.content : (last.content ?? []).map((part) => part.text ?? "").join("");
		let calls = [];
		try {
			if (last.role === "user" && text.includes("CALL ")) calls = JSON.parse(text.slice(text.indexOf("CALL ") + 5));
		} catch {
			// What is no list of calls is an ordinary message.
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		const send = (choices, usage) =>
			response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: asked.model, choices, usage })}\n\n`);
		if (calls.length > 0) {
			const tool_calls = calls.map((call, index) => ({
				index,
				id: `call_${requests.length}_${index}`,
				type: "function",
				function: { name: call.name, arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments) },
			}));
			send([{ index: 0, delta: { role: "assistant", content: null, tool_calls }, finish_reason: null }]);
			send([{ index: 0, delta: {}, finish_reason: "tool_calls" }]);
		} else {
			send([{ index: 0, delta: { role: "assistant", content: "done" }, finish_reason: null }]);
			send([{ index: 0, delta: {}, finish_reason: "stop" }]);
		}
		send([], { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 });
		response.end("data: [DONE]\n\n");
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		requests,
		port: server.address().port,
		/** What the model was given as results, newest last. */
		results: () => (requests.at(-1)?.messages ?? []).filter((message) => message.role === "tool").map((message) => plain(message.content)),
		/** Names of the tools that the model was offered. */
		tools: () => (requests.at(-1)?.tools ?? []).map((tool) => tool.function.name),
		close: () => server.close(),
	};
}

function plain(content) {
	return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

/** Arguments that every start of Pi has, and its list of models. */
function started(place, port) {
	const provider = {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		api: "openai-completions",
		apiKey: "dummy",
		compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
		models: [
			{
				id: "scripted",
				name: "Scripted",
				reasoning: false,
				input: ["text"],
				contextWindow: 128000,
				maxTokens: 4096,
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			},
		],
	};
	writeFileSync(place.at("agent/models.json"), JSON.stringify({ providers: { scripted: provider } }));
	return ["--offline", "--no-skills", "--no-context-files", "--provider", "scripted", "--model", "scripted"];
}

/** Pi in its rpc mode, as a client sees it. */
export class Rpc {
	/** `answer`: what a dialog gets: a function of its request that gives a value, or undefined for none. */
	static async start({ pi, place, model, answer = () => ({ cancelled: true }), extensions = [PACKAGE], env = {}, args = [], on = "22" }) {
		const chosen = extensions.flatMap((path) => ["-e", path]);
		const argv = [cli(pi), "--mode", "rpc", ...started(place, model.port), ...chosen, ...args];
		const child = spawn(node(on), argv, { cwd: place.at("workspace"), env: place.env(env), stdio: ["pipe", "pipe", "pipe"] });
		return new Rpc(child, answer);
	}
	constructor(child, answer) {
		this.child = child;
		this.events = [];
		this.dialogs = [];
		this.errors = "";
		this.waiting = [];
		child.stderr.on("data", (data) => (this.errors += data));
		child.stdin.on("error", () => {});
		this.ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
		this.ended.then(() => this.waiting.splice(0).forEach((waiter) => waiter.reject(new Error(`Pi has ended: ${this.errors}`))));
		let rest = "";
		child.stdout.on("data", async (data) => {
			rest += data;
			const lines = rest.split("\n");
			rest = lines.pop();
			for (const line of lines.filter((line) => line !== "")) {
				const event = JSON.parse(line);
				this.events.push(event);
				if (event.type === "extension_ui_request" && ["select", "confirm", "input"].includes(event.method)) {
					this.dialogs.push(event);
					Promise.resolve(answer(event)).then((given) => {
						if (given !== undefined) this.send({ type: "extension_ui_response", id: event.id, ...given });
					});
				}
				this.waiting = this.waiting.filter((waiter) => !(waiter.fits(event) && (waiter.resolve(event), true)));
			}
		});
	}
	send(message) {
		this.child.stdin.write(`${JSON.stringify(message)}\n`);
	}
	/** The next event that fits. */
	next(fits) {
		return new Promise((resolve, reject) => this.waiting.push({ fits, resolve, reject }));
	}
	/** Sends calls as the model would make them, and waits until the agent has settled. */
	async calls(...calls) {
		const settled = this.next((event) => event.type === "agent_settled" || event.type === "agent_end");
		this.send({ id: "p", type: "prompt", message: `CALL ${JSON.stringify(calls)}` });
		await settled;
		// The end of the agent is told before the last results are stored.
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	/** The results as events, with their error flag and details. */
	results() {
		return this.events.filter((event) => event.type === "tool_execution_end");
	}
	/** What extensions told the person. */
	notices() {
		return this.events.filter((event) => event.method === "notify").map((event) => event.message);
	}
	async stop() {
		this.child.stdin.end();
		const late = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		const ended = await this.ended;
		clearTimeout(late);
		return ended;
	}
}

/** Pi in its print mode: one prompt, then it ends. */
export function print({ pi, place, model, calls, extensions = [PACKAGE], args = [], env = {}, mode = "text" }) {
	const chosen = extensions.flatMap((path) => ["-e", path]);
	const argv = [cli(pi), "-p", "--mode", mode, ...started(place, model.port), ...chosen, ...args, `CALL ${JSON.stringify(calls)}`];
	return new Promise((resolve) => {
		const child = spawn(node("22"), argv, { cwd: place.at("workspace"), env: place.env(env), stdio: ["ignore", "pipe", "pipe"] });
		let [out, err] = ["", ""];
		child.stdout.on("data", (data) => (out += data));
		child.stderr.on("data", (data) => (err += data));
		child.once("exit", (code) => resolve({ code, out, err }));
	});
}

/** Pi in a terminal of its own, as a person sees it. */
export class Terminal {
	constructor({ pi, place, model }) {
		const argv = [node("22"), cli(pi), ...started(place, model.port), "--approve", "-e", PACKAGE];
		// `script` is what gives a program a terminal without a library.
		const line = argv.map((word) => `'${word}'`).join(" ");
		const env = place.env({ TERM: "xterm-256color", COLUMNS: "120", LINES: "40" });
		this.child = spawn("script", ["-qefc", line, "/dev/null"], { cwd: place.at("workspace"), env, stdio: ["pipe", "pipe", "pipe"] });
		this.shown = "";
		this.place = place;
		for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", (data) => (this.shown += data));
		this.child.stdin.on("error", () => {});
	}
	/** Waits until a text has been shown. */
	sees(text) {
		const plain = () => this.shown.replace(/\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)/g, "");
		return until(`the terminal shows ${text}`, () => plain().includes(text), 30_000);
	}
	type(keys) {
		this.child.stdin.write(keys);
	}
	stop() {
		for (const pid of processes(this.place.root)) {
			try {
				process.kill(pid, "SIGKILL");
			} catch {
				// It has ended.
			}
		}
		this.child.kill("SIGKILL");
	}
}

/** Pi's own commands, such as `install`. */
export function piCommand(pi, place, ...args) {
	return execFileSync(node("22"), [cli(pi), ...args], { cwd: place.at("workspace"), env: place.env(), encoding: "utf8" });
}

/** Processes that have this text in their argv; none: all are gone. */
export function processes(text) {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((pid) => {
			try {
				const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)[0];
				return state !== "Z" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
			} catch {
				return false;
			}
		});
}

/** The number of a process's parent. */
export const parent = (pid) => Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);

/** Waits until something holds; a test that waits in vain fails. */
export async function until(what, holds, within = 10_000) {
	const end = Date.now() + within;
	while (!(await holds())) {
		assert.ok(Date.now() < end, `never: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** The word of a dialog that agrees. */
export const yes = (dialog) => ({ value: dialog.options[1] });
/** The word that refuses. */
export const no = (dialog) => ({ value: dialog.options[0] });
