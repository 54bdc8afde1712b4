// Inside the real Pi, on both versions, with the real cgc and a scripted model: what the model was given, what a person
// was asked, and what the session file holds.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { join } from "node:path";
import { PACKAGE, PIS, Place, ROOT, Rpc, Terminal, model, no, parent, piCommand, print, processes, until, yes } from "./support.mjs";

const TOOLS = ["cgc_bundle_export", "cgc_context", "cgc_doctor"];
const context = (action, more = {}) => ({ name: "cgc_context", arguments: { action, ...more } });
const doctor = { name: "cgc_doctor", arguments: {} };
const export_ = { name: "cgc_bundle_export", arguments: { repository: "library", output: "out.cgc" } };

for (const pi of PIS) {
	describe(pi, { concurrency: 2 }, () => {
		const open = [];
		/** A place, a model, and Pi in it. */
		async function stage(options = {}) {
			const { place = new Place(), ...more } = options;
			const scripted = await model();
			const rpc = await Rpc.start({ pi, place, model: scripted, ...more });
			open.push(async () => {
				await rpc.stop();
				scripted.close();
				place.remove();
			});
			return { place, scripted, rpc };
		}
		after(async () => {
			for (const close of open) await close();
		});
		const ours = (scripted) => scripted.tools().filter((name) => name.startsWith("cgc_")).sort();
		/** One call: its text as the model has it, and its result as Pi has it. */
		async function one({ scripted, rpc }, call) {
			await rpc.calls(call);
			return { text: scripted.results().at(-1), result: rpc.results().at(-1) };
		}

		// The scenarios of the specification.

		test("default installation exposes the tools", async () => {
			const at = await stage();
			await one(at, context("list"));
			assert.deepEqual(ours(at.scripted), TOOLS);
			const offered = at.scripted.requests[0].tools.find((tool) => tool.function.name === "cgc_bundle_export").function;
			const schema = JSON.parse(readFileSync(join(ROOT, "generated/schemas/cgc_bundle_export.json"), "utf8"));
			assert.deepEqual(offered.parameters, schema.inputSchema ?? schema);
			assert.deepEqual(at.rpc.notices(), []);
		});

		test("opted-out installation hides the tools", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"tools": {"cliGap": {"enabled": false}}}');
			const at = await stage({ place });
			const { text } = await one(at, doctor);
			assert.deepEqual(ours(at.scripted), []);
			assert.match(text, /not found/i);
			assert.deepEqual(place.starts(), []);
		});

		test("environment override wins over the config key", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"tools": {"cliGap": {"enabled": false}}}');
			const at = await stage({ place, env: { CGC_TOOLS_CLI_GAP_ENABLED: "true" } });
			await one(at, context("list"));
			assert.deepEqual(ours(at.scripted), TOOLS);
			const off = await stage({ env: { CGC_TOOLS_CLI_GAP_ENABLED: "false" } });
			await one(off, doctor);
			assert.deepEqual(ours(off.scripted), []);
		});

		test("confirmed export creates a bundle", async () => {
			const place = new Place();
			place.index();
			const at = await stage({ place, answer: yes });
			const { text, result } = await one(at, export_);
			const [dialog] = at.rpc.dialogs;
			assert.deepEqual([dialog.method, dialog.options], ["select", ["No", "Yes, write the file"]]);
			assert.ok(dialog.title.includes(`"${place.at("workspace/out.cgc")}"`) && dialog.title.includes("new file"), dialog.title);
			assert.match(text, /^ok\nwrote .*\/out\.cgc \(\d+ bytes\)\nnodes: \d+\nedges: \d+\n/);
			assert.equal(result.isError, false);
			assert.ok(statSync(place.at("workspace/out.cgc")).size > 0);
			if (pi === "pi-1.6") assert.ok(result.result.structuredContent.nodes > 1, JSON.stringify(result.result));
		});

		test("declined export writes nothing", async () => {
			const place = new Place();
			place.index();
			const before = place.files();
			const at = await stage({ place, answer: no });
			const { text, result } = await one(at, export_);
			assert.match(text, /^DECLINED: /);
			assert.equal(result.isError, true);
			assert.deepEqual([place.starts(), place.files()], [[], before]);
		});

		test("listing contexts", async () => {
			const place = new Place();
			place.prepare("context", "create", "alpha", "--database", "kuzudb");
			const at = await stage({ place });
			const { text, result } = await one(at, context("list"));
			assert.match(text, /^ok\nmode: "global"\ncontexts: \[\{"name":"alpha","default":false,"database":"kuzudb","path":".*","repositories":0\}\]\n/);
			assert.equal(at.rpc.dialogs.length, 0);
			assert.equal(result.result.details.fields.contexts[0].name, "alpha");
		});

		test("creating a context", async () => {
			const at = await stage();
			const { text } = await one(at, context("create", { name: "alpha", database: "kuzudb" }));
			assert.match(text, /^ok\nname: "alpha"\ndatabase: "kuzudb"\ndb_path: ".*\/contexts\/alpha\/db/);
			assert.equal(at.rpc.dialogs.length, 0);
		});

		test("delete requires confirmation", async () => {
			const place = new Place();
			place.prepare("context", "create", "alpha", "--database", "kuzudb");
			const at = await stage({ place, answer: yes });
			const { text } = await one(at, context("delete", { name: "alpha" }));
			assert.match(text, /^ok\n/);
			assert.deepEqual(at.rpc.dialogs[0].options, ["No", "Yes, change the registration"]);
			assert.match((await one(at, context("list"))).text, /\ncontexts: \[\]\n/);
		});

		test("declined delete", async () => {
			const place = new Place();
			place.prepare("context", "create", "alpha", "--database", "kuzudb");
			const at = await stage({ place, answer: no });
			assert.match((await one(at, context("delete", { name: "alpha" }))).text, /^DECLINED: /);
			assert.deepEqual(place.starts(), []);
			assert.match((await one(at, context("list"))).text, /"name":"alpha"/);
		});

		test("diagnostics returned", async () => {
			const at = await stage();
			const { text, result } = await one(at, doctor);
			assert.match(text, /^ok\nhealthy: (true|false)\n/);
			assert.equal(result.isError, false);
			assert.equal(at.rpc.dialogs.length, 0);
		});

		test("sandboxed path rejected cleanly", async () => {
			const at = await stage({ answer: yes });
			const { text, result } = await one(at, { name: "cgc_bundle_export", arguments: { repository: "/etc", output: "/etc/out.cgc" } });
			assert.match(text, /^NOT_ALLOWED: .*\nhint: .*CGC_ALLOWED_ROOTS/);
			assert.equal(result.isError, true);
			assert.deepEqual([at.place.starts(), at.rpc.dialogs], [[], []]);
		});

		test("cgc missing", async () => {
			const at = await stage({ place: new Place(null) });
			for (const call of [doctor, context("list"), context("delete", { name: "a" })]) {
				const { text, result } = await one(at, call);
				assert.match(text, /^UNAVAILABLE: .*\nhint: .*pip install codegraphcontext/);
				assert.equal(result.isError, true);
			}
			assert.deepEqual(at.rpc.dialogs, []);
		});

		test("busy database", async () => {
			const place = new Place();
			place.index();
			const letGo = await place.hold();
			const at = await stage({ place, answer: yes });
			const { text } = await one(at, export_);
			letGo();
			assert.match(text, /^BUSY: another process holds the cgc database\n/);
			assert.ok(!existsSync(place.at("workspace/out.cgc")));
		});

		test("name collision check holds", async () => {
			const catalogue = JSON.parse(readFileSync(join(ROOT, "catalogs/codegraphcontext-mcp-0.6.13.json"), "utf8"));
			const at = await stage();
			await one(at, context("list"));
			const offered = at.scripted.tools();
			assert.equal(new Set(offered).size, offered.length, "no name twice");
			assert.deepEqual(catalogue.tools.map((tool) => tool.name).filter((name) => ours(at.scripted).includes(name)), []);
		});

		// Consent.

		test("without a dialog what asks is declined, nothing is started, and the text says what it needs", async () => {
			const place = new Place();
			const scripted = await model();
			const ended = await print({ pi, place, model: scripted, calls: [context("delete", { name: "a" })], args: ["--no-session"] });
			assert.equal(ended.code, 0, ended.err);
			assert.match(scripted.results().at(-1), /^DECLINED: .*\nhint: .*interactive session/);
			assert.deepEqual(place.starts(), []);
			scripted.close();
			place.remove();
		});

		test("in json mode what asks is declined, too", async () => {
			const place = new Place();
			const scripted = await model();
			await print({ pi, place, model: scripted, calls: [context("delete", { name: "a" })], args: ["--no-session"], mode: "json" });
			assert.match(scripted.results().at(-1), /^DECLINED: .*\nhint: .*interactive session/);
			assert.deepEqual(place.starts(), []);
			scripted.close();
			place.remove();
		});

		for (const [what, given] of [
			["is cancelled", { cancelled: true }],
			["gives another word", { value: "Yes" }],
			["gives a truth value", { value: true }],
			["confirms instead", { confirmed: true }],
		]) {
			test(`a dialog that ${what} is no yes`, async () => {
				const at = await stage({ answer: () => given });
				assert.match((await one(at, context("delete", { name: "a" }))).text, /^DECLINED: /);
				assert.deepEqual([at.place.starts(), at.rpc.dialogs.length], [[], 1]);
			});
		}

		test("a client that goes away while a question is open leaves nothing running and nothing done", async () => {
			const at = await stage({ answer: () => undefined });
			at.rpc.calls(context("delete", { name: "a" })).catch(() => {});
			await until("the question", () => at.rpc.dialogs.length === 1);
			await at.rpc.stop();
			assert.deepEqual(at.place.starts(), []);
			await until("nothing is left", () => processes(at.place.root).length === 0);
		});

		test("questions of calls at once are asked one at a time", async () => {
			let most = 0;
			let now = 0;
			const at = await stage({
				answer: async (dialog) => {
					most = Math.max(most, ++now);
					await new Promise((resolve) => setTimeout(resolve, 150));
					now -= 1;
					return no(dialog);
				},
			});
			await at.rpc.calls(context("delete", { name: "a" }), context("delete", { name: "b" }), context("delete", { name: "c" }));
			assert.deepEqual([at.rpc.dialogs.length, most], [3, 1]);
			assert.equal(at.scripted.results().filter((text) => text.startsWith("DECLINED")).length, 3);
		});

		for (const [keys, wait, says, starts] of [
			["\r", 1000, /^DECLINED: .*a person said no/, 0],
			["\r", 50, /^DECLINED: /, 0],
			["\x1b[B\r", 50, /^DECLINED: .*before the question could be read/, 0],
			["\x1b[B\r", 1000, /^ok\n/, 2],
		]) {
			const named = keys === "\r" ? "Enter" : "Down and Enter";
			test(`in a terminal ${named} ${wait} ms after the question opened ${starts === 0 ? "runs nothing" : "runs"}`, async () => {
				const place = new Place(null);
				place.install(`case "$*" in *delete*) echo "✅ Deleted context 'a'";; *) printf 'Current Mode: global\\n' >&2;; esac`);
				const scripted = await model();
				const terminal = new Terminal({ pi, place, model: scripted });
				try {
					await terminal.sees("scripted");
					await new Promise((resolve) => setTimeout(resolve, 1000));
					terminal.type(`CALL ${JSON.stringify([context("delete", { name: "a" })])}`);
					await new Promise((resolve) => setTimeout(resolve, 300));
					terminal.type("\r");
					await terminal.sees("Yes, change the registration");
					await new Promise((resolve) => setTimeout(resolve, wait));
					terminal.type(keys);
					await until("the result", () => scripted.results().length > 0);
					assert.match(scripted.results()[0], says);
					assert.equal(place.starts().length, starts);
				} finally {
					terminal.stop();
					scripted.close();
					place.remove();
				}
			});
		}

		// Abort, ends, progress.

		test("an abort ends everything soon (a second, and half of one for a busy machine)", async () => {
			const place = new Place(null);
			place.install("echo begun >&2; sleep 987654");
			const at = await stage({ place });
			const settled = at.rpc.calls(doctor);
			await until("it runs", () => processes("987654").length > 0);
			const start = Date.now();
			at.rpc.send({ id: "a", type: "abort" });
			await until("it is gone", () => processes("987654").length === 0);
			assert.ok(Date.now() - start < 1500);
			await settled;
			assert.match(at.rpc.results().at(-1).result.content[0].text, /^CANCELLED: /);
		});

		test("nothing outlives a Pi that is killed", async () => {
			const place = new Place(null);
			place.install("sleep 876543");
			const at = await stage({ place });
			at.rpc.calls(doctor).catch(() => {});
			await until("it runs", () => processes("876543").length > 0);
			const guardian = processes(`${PACKAGE}/native`).find((pid) => parent(pid) === at.rpc.child.pid);
			assert.ok(guardian, "there is a guardian");
			at.rpc.child.kill("SIGKILL");
			await until("nothing is left", () => processes("876543").length === 0 && !processes(`${PACKAGE}/native`).includes(guardian));
		});

		test("a program that runs longer than a second shows a status line and its lines", async () => {
			const place = new Place(null);
			place.install("echo one >&2; sleep 1.5; echo two >&2");
			const at = await stage({ place });
			await one(at, context("list"));
			const status = at.rpc.events.filter((event) => event.method === "setStatus").map((event) => event.statusText);
			assert.deepEqual(status, ["cgc is running", undefined]);
			const shown = at.rpc.events.filter((event) => event.type === "tool_execution_update").map((event) => event.partialResult.content[0].text);
			assert.equal(shown[0], "one");
		});

		test("a reload in the middle of a call crashes nothing, makes up no success, and the next call works", async () => {
			const place = new Place(null);
			place.install("[ -e once ] || { touch once; sleep 2.34567; }; printf 'Current Mode: global\\n' >&2");
			const other = place.at("reload.mjs");
			writeFileSync(other, `export default (pi) => pi.registerCommand("reload-now", { description: "x", handler: (_, ctx) => ctx.reload() });`);
			const at = await stage({ place, extensions: [other, PACKAGE] });
			const settled = at.rpc.calls(context("list"));
			await until("it runs", () => processes("2.34567").length > 0);
			at.rpc.send({ id: "r", type: "prompt", message: "/reload-now" });
			await settled;
			const first = at.rpc.results().at(-1);
			if (at.rpc.events.some((event) => event.type === "extension_error")) {
				// This version refuses to reload while a call runs.
				assert.match(first.result.content[0].text, /^ok\n/);
			} else {
				assert.equal(first.isError, true, JSON.stringify(first));
			}
			assert.deepEqual(processes("2.34567"), []);
			assert.match((await one(at, context("list"))).text, /^ok\n/);
		});

		test("a new session in the middle of a call ends it", async () => {
			const place = new Place(null);
			place.install("sleep 3.45678");
			const at = await stage({ place });
			const settled = at.rpc.calls(doctor);
			await until("it runs", () => processes("3.45678").length > 0);
			at.rpc.send({ id: "n", type: "new_session" });
			await settled;
			assert.equal(at.rpc.results().at(-1).isError, true);
			assert.deepEqual(processes("3.45678"), []);
		});

		// Configuration.

		test("a broken file of the user is reported once with its line, and the tools count as off", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{\n  "tools": {,}\n}');
			const at = await stage({ place });
			await one(at, doctor);
			await one(at, doctor);
			assert.deepEqual(ours(at.scripted), []);
			const notices = at.rpc.notices().filter((text) => text.includes("cgc.json"));
			assert.equal(notices.length, 1, JSON.stringify(at.rpc.notices()));
			assert.match(notices[0], /line 2/);
		});

		test("a file of the project may only narrow, and only if the project is trusted", async () => {
			const place = new Place();
			mkdirSync(place.at("workspace/.pi"));
			writeFileSync(place.at("workspace/.pi/cgc.json"), '{"tools": {"cliGap": {"enabled": false}}, "cgc": {"executable": "/bin/true"}}');
			const untrusted = await stage({ place, args: ["--no-approve"] });
			await one(untrusted, context("list"));
			assert.deepEqual(ours(untrusted.scripted), TOOLS);
			const trusted = await stage({ place, args: ["--approve"] });
			await one(trusted, context("list"));
			assert.deepEqual(ours(trusted.scripted), []);
			assert.ok(trusted.rpc.notices().some((text) => text.includes("cgc.executable")), JSON.stringify(trusted.rpc.notices()));
		});

		test("settings of the user reach the runtime, and not below the manifest's floor", async () => {
			const place = new Place(null);
			writeFileSync(place.at("agent/cgc.json"), '{"cgc": {"timeoutMs": 5}}');
			const at = await stage({ place });
			const { text } = await one(at, doctor);
			assert.match(text, /^UNAVAILABLE: .*`cgc\.timeoutMs` is too small/);
			assert.equal(at.rpc.notices().filter((notice) => notice.includes("cgc.timeoutMs")).length, 1);
		});

		test("the user's file names the executable and the budget, and the environment wins", async () => {
			const place = new Place(null);
			const script = (name, says) => {
				writeFileSync(place.at(name), `#!/bin/sh\nprintf 'Current Mode: ${says}\\n' >&2; yes filler | head -c 9000 >&2\n`, { mode: 0o755 });
				return place.at(name);
			};
			writeFileSync(place.at("agent/cgc.json"), JSON.stringify({ cgc: { executable: script("one", "one") }, output: { budget: "2 KiB", spill: false } }));
			const at = await stage({ place });
			const { text } = await one(at, context("list"));
			assert.match(text, /^ok\nmode: "one"\n/);
			assert.ok(Buffer.byteLength(text) <= 2048, `${Buffer.byteLength(text)} bytes`);
			const over = await stage({ place, env: { CGC_EXECUTABLE: script("two", "two") } });
			assert.match((await one(over, context("list"))).text, /^ok\nmode: "two"\n/);
		});

		test("a change of the configuration counts from the next session, and not before", async () => {
			const at = await stage();
			assert.match((await one(at, context("list"))).text, /^ok\n/);
			writeFileSync(at.place.at("agent/cgc.json"), '{"tools": {"cliGap": {"enabled": false}}}');
			assert.match((await one(at, context("list"))).text, /^ok\n/);
			const replaced = at.rpc.next((event) => event.type === "response" && event.command === "new_session");
			at.rpc.send({ id: "n", type: "new_session" });
			await replaced;
			await one(at, context("list"));
			assert.deepEqual(ours(at.scripted), []);
			writeFileSync(at.place.at("agent/cgc.json"), "{}");
			const again = at.rpc.next((event) => event.type === "response" && event.command === "new_session");
			at.rpc.send({ id: "n", type: "new_session" });
			await again;
			assert.match((await one(at, context("list"))).text, /^ok\n/);
		});

		test("a tool with a secret argument is not there, and the reason is said", async () => {
			const place = new Place();
			const folder = place.at("secret");
			mkdirSync(folder);
			for (const name of ["package.json", "extension.ts"]) writeFileSync(join(folder, name), readFileSync(join(PACKAGE, name)));
			// The shipped table has no such tool: this one stands in for a table that has.
			const tool = (name, secretArgument) => ({ name, label: name, program: "x", description: name, parameters: { type: "object", properties: {} }, outputSchema: { type: "object" }, annotations: {}, secretArgument });
			const table = { tools: [tool("cgc_open", null), tool("cgc_login", "password")], resultStages: [], providerStages: [], withheld: { content: [], details: {} } };
			const state = { tools: table.tools.map(({ name }) => ({ name, off: null })), stages: [], notes: [] };
			writeFileSync(
				join(folder, "addon.ts"),
				`export const load = () => ({ table: ${JSON.stringify(table)}, open: () => ({ state: () => (${JSON.stringify(state)}), here() {}, turn() {}, end() {} }) });`,
			);
			const at = await stage({ place, extensions: [folder] });
			await one(at, doctor);
			assert.deepEqual(ours(at.scripted), ["cgc_open"]);
			assert.ok(at.rpc.notices().some((text) => /cgc_login is not there: .*password is a secret/.test(text)), JSON.stringify(at.rpc.notices()));
		});

		if (pi === "pi-1.6") {
			test("this version is told the annotations", async () => {
				const place = new Place();
				const other = place.at("other.mjs");
				const record = place.at("annotations.json");
				writeFileSync(
					other,
					`import { writeFileSync } from "node:fs";
					export default (pi) => pi.on("agent_start", () => writeFileSync(${JSON.stringify(record)}, JSON.stringify(pi.getAllTools())));`,
				);
				const at = await stage({ place, extensions: [PACKAGE, other] });
				await one(at, context("list"));
				const told = JSON.parse(readFileSync(record, "utf8")).find((tool) => tool.name === "cgc_doctor");
				assert.equal(told.annotations.readOnlyHint, true, JSON.stringify(told));
			});

			test("Pi's own settings win over the file", async () => {
				const place = new Place();
				writeFileSync(place.at("agent/cgc.json"), '{"tools": {"cliGap": {"enabled": true}}}');
				writeFileSync(place.at("agent/settings.json"), '{"tools": {"cliGap": {"enabled": false}}}');
				const at = await stage({ place });
				await one(at, doctor);
				assert.deepEqual(ours(at.scripted), []);
			});
		}

		// Others in the same Pi.

		test("an extension that owns one of the names is named, and the others are there", async () => {
			const place = new Place();
			const other = place.at("other.mjs");
			writeFileSync(
				other,
				`export default (pi) => pi.registerTool({ name: "cgc_doctor", label: "x", description: "other's",
					parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "other" }], details: {} }) });`,
			);
			const at = await stage({ place, extensions: [other, PACKAGE] });
			assert.equal((await one(at, doctor)).text, "other");
			assert.deepEqual(ours(at.scripted), TOOLS);
			assert.ok(at.rpc.notices().some((text) => text.includes("cgc_doctor") && text.includes("other.mjs")), JSON.stringify(at.rpc.notices()));
			assert.match((await one(at, context("list"))).text, /^ok\n/);
		});

		test("a second copy of the package says that the first one owns the names", async () => {
			const place = new Place();
			const copy = place.at("copy");
			cpSync(PACKAGE, copy, { recursive: true });
			const at = await stage({ place, extensions: [PACKAGE, copy] });
			assert.match((await one(at, context("list"))).text, /^ok\n/);
			assert.deepEqual(ours(at.scripted), TOOLS);
			const named = at.rpc.notices().filter((text) => text.includes("owns a tool of that name"));
			assert.equal(named.length, 3, JSON.stringify(at.rpc.notices()));
			assert.ok(named.every((text) => text.includes(PACKAGE)));
		});

		test("arguments that another extension changes after validation are checked again", async () => {
			const place = new Place();
			const other = place.at("other.mjs");
			writeFileSync(other, `export default (pi) => pi.on("tool_call", (event) => { event.input.name = "../x"; event.input.more = 1; });`);
			const at = await stage({ place, extensions: [other, PACKAGE] });
			const { text } = await one(at, context("create", { name: "alpha" }));
			assert.match(text, /^INVALID_ARGUMENT: /);
			assert.deepEqual(place.starts(), []);
		});

		test("an addon that does not load registers no tool, says why once, and Pi goes on", async () => {
			const place = new Place();
			const broken = place.at("broken");
			mkdirSync(join(broken, "native"), { recursive: true });
			for (const name of ["package.json", "extension.ts", "addon.ts"]) {
				writeFileSync(join(broken, name), readFileSync(join(PACKAGE, name)));
			}
			const faults = [
				[() => {}, /sha256\.json can't be read \(ENOENT\)/],
				[() => writeFileSync(join(broken, "native/sha256.json"), '{"verbgate-pi.sunos-sparc.node": "00"}'), /no addon for linux-x64/],
				[() => writeFileSync(join(broken, "native/sha256.json"), '{"verbgate-pi.linux-x64.node": "00", "verbgate-guardian.linux-x64": "00"}'), /can't be read \(ENOENT\)/],
				[() => writeFileSync(join(broken, "native/verbgate-pi.linux-x64.node"), "no addon"), /not the file that this package was made with/],
			];
			for (const [fault, says] of faults) {
				fault();
				const scripted = await model();
				const rpc = await Rpc.start({ pi, place, model: scripted, extensions: [broken] });
				await rpc.calls(doctor);
				assert.deepEqual(ours(scripted), []);
				assert.equal(rpc.notices().filter((text) => says.test(text)).length, 1, `${says}: ${JSON.stringify(rpc.notices())}`);
				assert.equal((await rpc.stop()).code, 0);
				scripted.close();
			}
		});

		// Secrets and stages.

		const SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
		for (const sanitiser of [false, true]) {
			test(`a planted secret reaches neither the model nor the session file (sanitiser ${sanitiser ? "on" : "off"})`, async () => {
				const place = new Place(null);
				place.install(`printf 'Current Mode: global\\n\\ntoken ${SECRET} and %s\\n' planted-value-of-a-key >&2`);
				writeFileSync(place.at("agent/cgc.json"), JSON.stringify({ stages: { credential_firewall: sanitiser } }));
				const at = await stage({ place, env: { OPENAI_API_KEY: "planted-value-of-a-key" } });
				const { text } = await one(at, context("list"));
				assert.match(text, /^ok\n/);
				const wire = JSON.stringify(at.scripted.requests);
				for (const planted of [SECRET, "planted-value-of-a-key"]) {
					assert.ok(!wire.includes(planted), "in a request");
					assert.ok(!place.stored().includes(planted), "in the session file");
					assert.ok(!JSON.stringify(at.rpc.events).includes(planted), "in an event");
				}
			});
		}

		test("the sanitiser cleans what an earlier extension put in, and what a later one puts back reaches the model", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"stages": {"credential_firewall": true}}');
			const puts = (name, text) => {
				const file = place.at(name);
				writeFileSync(
					file,
					`export default (pi) => pi.on("tool_result", (event) => ({ content: [...event.content, { type: "text", text: ${JSON.stringify(text)} }], details: { ...event.details, put: ${JSON.stringify(text)} } }));`,
				);
				return file;
			};
			// Split, so that the payload's own stage does not see it as a token: a sentinel, as in the record.
			const [early, late] = [puts("early.mjs", `early ${SECRET}`), puts("late.mjs", "late RAW-SENTINEL-4711")];
			const at = await stage({ place, extensions: [early, PACKAGE, late] });
			const { text } = await one(at, context("list"));
			assert.ok(text.includes("early") && !text.includes(SECRET), text);
			assert.ok(text.includes("late RAW-SENTINEL-4711"), "a later handler is not ours: nothing is claimed of it");
			assert.ok(!place.stored().includes(SECRET), "details are cleaned, too");
		});

		test("a stage that replaces details leaves the error flag of a failed call", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"stages": {"credential_firewall": true, "truncation_metadata_normalizer": true, "context_gateway": "observe"}}');
			const at = await stage({ place });
			const { text, result } = await one(at, context("create"));
			assert.match(text, /^INVALID_ARGUMENT: /);
			assert.equal(result.isError, true);
			assert.equal(result.result.details.code, "INVALID_ARGUMENT");
		});

		test("an earlier extension that replaces details leaves the error flag of a failed call", async () => {
			const place = new Place();
			const other = place.at("early.mjs");
			writeFileSync(other, `export default (pi) => pi.on("tool_result", (event) => ({ details: { ...event.details, seen: 1 } }));`);
			const at = await stage({ place, extensions: [other, PACKAGE] });
			const { text, result } = await one(at, context("create"));
			assert.match(text, /^INVALID_ARGUMENT: /);
			assert.deepEqual([result.isError, result.result.details.seen], [true, 1]);
			assert.equal((await one(at, context("list"))).result.isError, false);
		});

		test("what did not fit is in a file while the session lives, and gone with it", async () => {
			const place = new Place(null);
			place.install("printf 'Current Mode: global\\n' >&2; yes filler | head -c 60000 >&2");
			const at = await stage({ place });
			const { result } = await one(at, context("list"));
			const path = result.result.details.output?.path;
			assert.ok(path !== undefined && existsSync(path), JSON.stringify(result.result));
			const replaced = at.rpc.next((event) => event.type === "response" && event.command === "new_session");
			at.rpc.send({ id: "n", type: "new_session" });
			await replaced;
			await until("the file is gone with the session", () => !existsSync(path));
		});

		test("the normaliser takes a proven duplicate out of Pi's own read", async () => {
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"stages": {"truncation_metadata_normalizer": true}}');
			writeFileSync(place.at("workspace/long.txt"), "a line of a long file\n".repeat(9000));
			const at = await stage({ place });
			const { text, result } = await one(at, { name: "read", arguments: { path: "long.txt" } });
			assert.ok(text.startsWith("a line of a long file"));
			assert.equal(result.result.details.truncation.truncated, true);
			assert.equal("content" in result.result.details.truncation, false);
			const off = await stage();
			writeFileSync(off.place.at("workspace/long.txt"), "a line of a long file\n".repeat(9000));
			const raw = await one(off, { name: "read", arguments: { path: "long.txt" } });
			assert.equal("content" in raw.result.result.details.truncation, true, "off by default");
		});

		test("the normaliser takes a proven duplicate out of Pi's own bash", async () => {
			const call = { name: "bash", arguments: { command: "yes 'a line of a long output' | head -n 9000" } };
			const place = new Place();
			writeFileSync(place.at("agent/cgc.json"), '{"stages": {"truncation_metadata_normalizer": true}}');
			const [on, off] = [await one(await stage({ place }), call), await one(await stage(), call)];
			assert.ok(on.text.startsWith("a line of a long output"), on.text.slice(0, 200));
			const { content, ...rest } = off.result.result.details.truncation;
			assert.ok(off.text.startsWith(content), "off by default, and a duplicate");
			assert.deepEqual(on.result.result.details.truncation, rest, "nothing else is changed");
		});

		// The package.

		test("the packed package is installed into an empty home and works", async () => {
			const place = new Place();
			const packed = place.at("packed");
			mkdirSync(packed);
			const { execFileSync } = await import("node:child_process");
			execFileSync("npm", ["pack", "--silent", "--pack-destination", packed], { cwd: PACKAGE, env: { ...process.env, HOME: place.at("home") } });
			execFileSync("tar", ["xzf", join(packed, "verbgate-pi-0.1.0.tgz"), "-C", packed]);
			piCommand(pi, place, "install", join(packed, "package"));
			const at = await stage({ place, extensions: [] });
			const { text } = await one(at, context("list"));
			assert.match(text, /^ok\n/);
			assert.deepEqual(ours(at.scripted), TOOLS);
		});
	});
}
