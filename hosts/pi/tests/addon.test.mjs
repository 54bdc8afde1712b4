// The addon under Node alone, with programs that misbehave: consent, aborts, many calls at once, threads, ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { join } from "node:path";
import { PACKAGE, Place, parent, processes, until } from "./support.mjs";

const { load } = await import(join(PACKAGE, "addon.ts"));
const loaded = load(PACKAGE);
const NONE = { user: null, settings: null, project: null };
const places = [];
after(() => places.forEach((place) => place.remove()));

/** A session whose `cgc` does this. */
function open(program, options = NONE, heard = undefined) {
	const place = new Place(null);
	if (program !== null) place.install(program);
	places.push(place);
	// A session reads the environment of the process when it is made.
	const before = { ...process.env };
	Object.assign(process.env, place.env());
	const session = loaded.open(options, heard);
	for (const name of Object.keys(place.env())) {
		if (before[name] === undefined) delete process.env[name];
		else process.env[name] = before[name];
	}
	session.here("session", place.at("workspace"), 1);
	let last = 0;
	const call = (tool, args, more = {}) => session.call({ id: `c${(last += 1)}`, tool, args, cwd: place.at("workspace"), ...more });
	return { place, session, call };
}

const LIST = "printf 'Current Mode: global\\n' >&2";
/** Lists, and deletes once a person has agreed. */
const DELETE = `case "$*" in *delete*) echo "✅ Deleted context 'a'";; *) ${LIST};; esac`;
const remove = ["cgc_context", { action: "delete", name: "a" }];
const list = ["cgc_context", { action: "list" }];

test("loading is refused for another file than the package was made with, before it is run", () => {
	const place = new Place(null);
	places.push(place);
	assert.throws(() => load(place.root), /sha256\.json can't be read \(ENOENT\): run `cargo xtask pi`/);
});

test("only the exact yes runs, once", async () => {
	const { place, call } = open(DELETE);
	const offered = [];
	const select = (text, options) => (offered.push(options), options[1]);
	assert.equal((await call(...remove, { select })).code, null);
	assert.deepEqual(offered, [["No", "Yes, change the registration"]]);
	assert.deepEqual(place.starts(), ["context list", "context delete -- a"]);
	for (const chosen of ["No", "Yes", "yes, change the registration", "", 1, true, undefined, null, {}, ["Yes, change the registration"]]) {
		const fresh = open(DELETE);
		assert.equal((await fresh.call(...remove, { select: () => chosen })).code, "DECLINED", String(chosen));
		assert.deepEqual(fresh.place.starts(), []);
	}
});

test("a dialog that throws, now or later, is no yes", async () => {
	for (const select of [() => { throw new Error("x"); }, async () => { throw new Error("x"); }, () => Promise.reject()]) {
		const { place, call } = open(DELETE);
		const outcome = await call(...remove, { select });
		assert.equal(outcome.code, "DECLINED", outcome.text);
		assert.deepEqual(place.starts(), []);
	}
});

test("without a dialog a call that asks is declined", async () => {
	const { place, call } = open(DELETE);
	const outcome = await call(...remove);
	assert.match(outcome.text, /^DECLINED: .*shows no dialog.*\nhint: .*interactive session/);
	assert.deepEqual(place.starts(), []);
});

test("a dialog that never answers ends with the abort, and is closed", async () => {
	const { place, call } = open(DELETE);
	const abort = new AbortController();
	let closed = false;
	const select = (_text, _options, signal) =>
		new Promise(() => {
			signal.addEventListener("abort", () => (closed = true));
			setTimeout(() => abort.abort(), 50);
		});
	const outcome = await call(...remove, { select, signal: abort.signal });
	assert.equal(outcome.code, "CANCELLED", outcome.text);
	assert.deepEqual([closed, place.starts()], [true, []]);
});

test("a dialog that never answers is a no after two minutes", { skip: process.env.VERBGATE_LONG !== "1" && "slow" }, async () => {
	const { place, call } = open(DELETE);
	let closed = false;
	const select = (_text, _options, signal) => new Promise(() => signal.addEventListener("abort", () => (closed = true)));
	assert.equal((await call(...remove, { select })).code, "DECLINED");
	assert.deepEqual([closed, place.starts()], [true, []]);
});

test("two calls at once with Enter 100 ms after each question opens run nothing, and later ones do", async () => {
	const { place, session, call } = open(DELETE);
	const after = (milliseconds) => async (_text, options) => {
		await new Promise((resolve) => setTimeout(resolve, milliseconds));
		return options[1];
	};
	const early = { select: after(100), terminal: true };
	const outcomes = await Promise.all([call(...remove, early), call("cgc_context", { action: "delete", name: "b" }, early)]);
	assert.deepEqual(outcomes.map((outcome) => outcome.code), ["DECLINED", "DECLINED"]);
	assert.deepEqual(place.starts(), []);
	session.turn();
	assert.equal((await call(...remove, { select: after(800), terminal: true })).code, null);
	session.turn();
	assert.equal((await call(...remove, { select: after(100), terminal: false })).code, null, "no keys are typed ahead elsewhere");
});

test("an abort in the same tick as the call is not lost, 300 of 300", async () => {
	const { call } = open("sleep 765432");
	const outcomes = [];
	for (let at = 0; at < 300; at += 1) {
		const abort = new AbortController();
		outcomes.push(call("cgc_doctor", {}, { signal: abort.signal }));
		abort.abort();
	}
	assert.deepEqual(new Set((await Promise.all(outcomes)).map((outcome) => outcome.code)), new Set(["CANCELLED"]));
	await until("nothing is left", () => processes("765432").length === 0);
});

test("aborts at any moment end the call soon (a second, and one for a busy machine) and leave nothing", async () => {
	const { call } = open("sleep 654321");
	const took = await Promise.all(
		Array.from({ length: 60 }, async (_, at) => {
			const abort = new AbortController();
			const outcome = call("cgc_doctor", {}, { signal: abort.signal });
			await new Promise((resolve) => setTimeout(resolve, at * 7));
			const start = performance.now();
			abort.abort();
			assert.equal((await outcome).code, "CANCELLED");
			return performance.now() - start;
		}),
	);
	assert.ok(Math.max(...took) < 2000, `${Math.max(...took)} ms`);
	await until("nothing is left", () => processes("654321").length === 0);
});

test("an aborted signal runs nothing", async () => {
	const { place, call } = open(LIST);
	assert.equal((await call(...list, { signal: AbortSignal.abort() })).code, "CANCELLED");
	assert.deepEqual(place.starts(), []);
});

test("a thousand calls at once all end well", async () => {
	const { place, call } = open(LIST);
	// Each in a folder of its own: equal ones would be one run.
	const folders = Array.from({ length: 1000 }, (_, at) => place.at("workspace", String(at)));
	for (const folder of folders) mkdirSync(folder);
	const outcomes = await Promise.all(folders.map((cwd) => call(...list, { cwd })));
	assert.deepEqual(new Set(outcomes.map((outcome) => outcome.text.split("\n")[0])), new Set(["ok"]));
	assert.equal(place.starts().length, 1000);
});

test("whatever the arguments are there is an answer and nothing runs", async () => {
	const { place, call } = open(LIST);
	const circle = {};
	circle.self = circle;
	let deep = {};
	for (let at = 0; at < 100; at += 1) deep = { deep };
	for (const args of [
		undefined, null, 3, "x", "", [], [1], true, 10n, Symbol("x"), () => {}, circle, deep, NaN,
		{ x: "\ud800" }, { x: "\udc00a" }, { ["\ud800"]: 1 }, { x: "y".repeat(2 << 20) }, { then: 1 }, { constructor: 1 },
		JSON.parse('{"__proto__": {"action": "list"}}'), { toJSON: () => { throw new Error("x"); } }, { get x() { throw new Error("x"); } },
		{ action: "list", more: 1 }, { action: null }, { action: ["list"] }, { action: "list\0" },
	]) {
		const outcome = await call("cgc_context", args);
		assert.equal(outcome.code, "INVALID_ARGUMENT", outcome.text);
	}
	assert.deepEqual(place.starts(), []);
	assert.match((await call("no_such_tool", {})).text, /^[A-Z_]+: /);
	assert.match((await call("__proto__", {})).text, /^[A-Z_]+: /);
});

test("the process's signals, umask and working directory are what they were", async () => {
	const look = () => [
		process.umask(),
		process.cwd(),
		readFileSync("/proc/self/status", "utf8").match(/^Sig(Blk|Ign|Cgt):.*$/gm).join(),
		process.listenerCount("SIGCHLD"),
	];
	const before = look();
	const { call } = open(LIST);
	await Promise.all(Array.from({ length: 20 }, () => call(...list)));
	assert.deepEqual(look(), before);
});

test("a session that ends in the middle of a call ends the program, and the result is an orphan", async () => {
	const { session, call } = open("sleep 543210");
	const outcome = call("cgc_doctor", {});
	await until("it runs", () => processes("543210").length > 0);
	session.end();
	assert.equal((await outcome).code, "ORPHANED");
	await until("nothing is left", () => processes("543210").length === 0);
	assert.equal((await call("cgc_doctor", {})).code, "ORPHANED", "and nothing runs in it any more");
});

test("a call that comes back to another session, workspace or epoch is an orphan", async () => {
	for (const there of [["other", "w", 1], ["s", "elsewhere", 1], ["s", "w", 2]]) {
		const { session, call } = open(`sleep 0.3; ${LIST}`);
		session.here("s", "w", 1);
		const outcome = call(...list);
		await new Promise((resolve) => setTimeout(resolve, 50));
		session.here(...there);
		assert.equal((await outcome).code, "ORPHANED", String(there));
	}
});

test("two sessions with equal call ids have nothing in common", async () => {
	const [one, two] = [open(LIST), open("sleep 432109")];
	const abort = new AbortController();
	const waiting = two.session.call({ id: "same", tool: "cgc_doctor", args: {}, cwd: two.place.at("workspace"), signal: abort.signal });
	const done = await one.session.call({ id: "same", tool: list[0], args: list[1], cwd: one.place.at("workspace") });
	assert.equal(done.code, null);
	abort.abort();
	assert.equal((await waiting).code, "CANCELLED");
});

test("a worker thread that ends takes with it what its calls have started, and the process goes on", async () => {
	const { Worker } = await import("node:worker_threads");
	const place = new Place(null);
	places.push(place);
	place.install("sleep 321098");
	const code = `
		import("${join(PACKAGE, "addon.ts")}").then(({ load }) => {
			const session = load(${JSON.stringify(PACKAGE)}).open({ user: null, settings: null, project: null });
			session.here("s", "w", 1);
			session.call({ id: "1", tool: "cgc_doctor", args: {}, cwd: ${JSON.stringify(place.at("workspace"))} });
		});`;
	const before = { ...process.env };
	Object.assign(process.env, place.env());
	const worker = new Worker(code, { eval: true });
	await until("it runs", () => processes("321098").length > 0);
	Object.assign(process.env, { PATH: before.PATH, HOME: before.HOME });
	await worker.terminate();
	await until("nothing is left", () => processes("321098").length === 0);
	const { call } = open(LIST);
	assert.equal((await call(...list)).code, null);
});

for (const [what, end] of [
	["is killed", (child) => child.kill("SIGKILL")],
	["exits", (child) => child.stdin.write("exit\n")],
	["is told to end", (child) => child.kill("SIGTERM")],
]) {
	test(`nothing outlives a process that ${what} with calls in flight`, async () => {
		const place = new Place(null);
		places.push(place);
		const mark = `21${Math.floor(Math.random() * 1e6)}`;
		place.install(`sleep ${mark}`);
		const code = `
			import(${JSON.stringify(join(PACKAGE, "addon.ts"))}).then(({ load }) => {
				const session = load(${JSON.stringify(PACKAGE)}).open({ user: null, settings: null, project: null });
				session.here("s", "w", 1);
				for (let at = 0; at < 5; at += 1)
					session.call({ id: String(at), tool: "cgc_context", args: { action: "create", name: "a" + at }, cwd: ${JSON.stringify(place.at("workspace"))} });
				session.call({ id: "d", tool: "cgc_doctor", args: {}, cwd: ${JSON.stringify(place.at("workspace"))} });
			});
			process.stdin.once("data", () => process.exit(0));`;
		const child = spawn(process.execPath, ["-e", code], { env: place.env(), stdio: ["pipe", "ignore", "inherit"] });
		await until("one runs", () => processes(`sleep\0${mark}`).length > 0 || processes(mark).length > 0);
		const guardian = processes(`${PACKAGE}/native`).find((pid) => parent(pid) === child.pid);
		assert.ok(guardian, "there is a guardian");
		end(child);
		await until("nothing is left", () => processes(mark).length === 0 && !processes(`${PACKAGE}/native`).includes(guardian));
	});
}

test("a process with nothing left to do ends by itself", async () => {
	const code = `import(${JSON.stringify(join(PACKAGE, "addon.ts"))}).then(({ load }) => {
		load(${JSON.stringify(PACKAGE)}).open({ user: null, settings: null, project: null }).state();
	});`;
	const child = spawn(process.execPath, ["-e", code], { stdio: "inherit" });
	assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
});

// Stages, on what no program of ours returns.

const FIREWALL = { ...NONE, user: { name: "cgc.json", text: '{"stages": {"credential_firewall": true, "truncation_metadata_normalizer": true}}' } };
const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

test("a stage that is off passes anything as it is", () => {
	const { session } = open(null);
	const circle = {};
	circle.self = circle;
	for (const details of [circle, 3, "x", undefined, { x: "y".repeat(50 << 20) }]) {
		assert.equal(session.stage("credential_firewall", "cgc_doctor", [{ type: "text", text: TOKEN }], details), undefined);
	}
});

test("the sanitiser withholds what it can't look into, and says so", () => {
	const { session } = open(null, FIREWALL);
	const text = [{ type: "text", text: "plain" }];
	const circle = {};
	circle.self = circle;
	for (const details of [circle, { x: "y".repeat(50 << 20) }, 3, ["x"], { x: 10n }]) {
		const cleaned = JSON.stringify(session.stage("credential_firewall", "cgc_doctor", text, details));
		assert.match(cleaned, /withheld/);
	}
	const cleaned = session.stage("credential_firewall", "cgc_doctor", [{ type: "audio", data: TOKEN }, { type: "text", text: `a ${TOKEN} b` }], { [TOKEN]: [TOKEN] });
	assert.ok(!JSON.stringify(cleaned).includes(TOKEN));
	assert.match(JSON.stringify(cleaned), /withheld/);
	assert.equal(session.stage("credential_firewall", "cgc_doctor", text, { a: 1 }), undefined, "nothing to clean: no change");
	const half = session.stage("credential_firewall", "cgc_doctor", [{ type: "text", text: `\ud800 ${TOKEN} plain` }], {});
	assert.ok(half.content[0].text.endsWith("plain") && !JSON.stringify(half).includes(TOKEN), JSON.stringify(half));
});

test("the normaliser passes what it can't look into", () => {
	const { session } = open(null, FIREWALL);
	const circle = {};
	circle.self = circle;
	for (const details of [circle, { truncation: circle }, { x: "y".repeat(50 << 20) }, 3, { truncation: 3 }]) {
		assert.equal(session.stage("truncation_metadata_normalizer", "read", [{ type: "text", text: "x" }], details), undefined);
	}
});

test("observing tells what was measured, and changes nothing", async () => {
	const heard = [];
	const options = { ...NONE, user: { name: "cgc.json", text: '{"stages": {"context_gateway": "observe"}}' } };
	const { session } = open(null, options, (told) => heard.push(told));
	assert.equal(session.stage("context_gateway", "cgc_doctor", [{ type: "text", text: "a\nb" }], {}), undefined);
	await until("it is told", () => heard.length > 0);
	assert.deepEqual(heard[0], {
		type: "observed",
		stage: "context_gateway",
		measured: { tool: "cgc_doctor", bytes: 3, lines: 2, blocks: { text: 1 }, duplicates: 0 },
	});
});

test("a provider's payload is cleaned if the sanitiser is on, and else left alone", () => {
	const payload = { model: "m", messages: [{ role: "tool", content: `a ${TOKEN}` }] };
	assert.equal(open(null).session.providerStage("credential_firewall", payload), undefined);
	const cleaned = open(null, FIREWALL).session.providerStage("credential_firewall", payload);
	assert.ok(!JSON.stringify(cleaned).includes(TOKEN) && cleaned.model === "m", JSON.stringify(cleaned));
	const half = { messages: [{ content: "\ud800" }, { content: TOKEN }] };
	const mended = open(null, FIREWALL).session.providerStage("credential_firewall", half);
	assert.ok(!JSON.stringify(mended).includes(TOKEN), "half a surrogate pair beside it lets nothing through");
});

test("a configuration that enforces is refused with the record's reason, and the stage is off", () => {
	const options = { ...NONE, user: { name: "cgc.json", text: '{"stages": {"context_gateway": "enforce"}}' } };
	const { session } = open(null, options);
	const state = session.state();
	assert.equal(state.stages.find((stage) => stage.name === "context_gateway").on, false);
	assert.ok(state.notes.some((note) => note.includes("enforce") && note.includes("context_gateway")), JSON.stringify(state.notes));
});

test("Pi's settings win over the file, and only this project's keys of them are read", () => {
	const file = { name: "cgc.json", text: '{"tools": {"cliGap": {"enabled": true}}, "cgc": {"timeoutMs": 20000}}' };
	const settings = { tools: { cliGap: { enabled: false }, other: 1 }, theme: "dark", cgc: 3 };
	const state = open(null, { ...NONE, user: file, settings }).session.state();
	assert.deepEqual(new Set(state.tools.map((tool) => tool.off !== null)), new Set([true]));
	assert.deepEqual(state.notes, []);
});
