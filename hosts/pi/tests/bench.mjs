// node bench.mjs PACKAGE FAKE_TOOL: what the addon costs, each ratio within one run. Prints one line a measurement.
//
// By turns: one call through the addon, one through `child_process.execFile` of the same program in the same
// environment; the first tenth warms up.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { spawnSync } from "node:child_process";

const [packageFolder, fakeTool] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), "verbgate-bench-"));
for (const name of ["bin", "home", "workspace", "run"]) mkdirSync(join(root, name));
process.env.PATH = `${join(root, "bin")}:/usr/bin:/bin`;
process.env.HOME = join(root, "home");
process.env.XDG_RUNTIME_DIR = join(root, "run");
const program = join(root, "bin/cgc");
const script = (text) => {
	writeFileSync(program, `#!/bin/sh\n${text}\n`);
	chmodSync(program, 0o755);
};

const code = (what) =>
	`const start = process.hrtime.bigint(); const { load } = await import(${JSON.stringify(join(packageFolder, "addon.ts"))}); const read = process.hrtime.bigint(); ${what} console.log(Number(process.hrtime.bigint() - read) / 1e6);`;
const loads = Array.from({ length: 21 }, () =>
	Number(spawnSync(process.execPath, ["--input-type=module", "-e", code(`load(${JSON.stringify(packageFolder)});`)], { encoding: "utf8" }).stdout),
).sort((a, b) => a - b);
console.log(`load: ${loads[10].toFixed(1)} ms (median of 21)`);

const { load } = await import(join(packageFolder, "addon.ts"));
const session = load(packageFolder).open({ user: null, settings: null, project: null });
session.here("s", join(root, "workspace"), 1);
let last = 0;
const call = () => session.call({ id: String((last += 1)), tool: "cgc_context", args: { action: "list" }, cwd: join(root, "workspace") });
const p50 = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

for (const [name, text, count] of [
	["a program that ends at once", "echo 'Current Mode: global' >&2", 600],
	["a program that takes 50 ms", "sleep 0.05; echo 'Current Mode: global' >&2", 100],
]) {
	script(text);
	const [ours, theirs] = [[], []];
	for (let at = 0; at < count; at += 1) {
		let start = performance.now();
		const outcome = await call();
		if (at > count / 10) ours.push(performance.now() - start);
		if (!outcome.ok) throw new Error(outcome.text);
		start = performance.now();
		await new Promise((resolve) => execFile(program, ["context", "list"], { cwd: join(root, "workspace") }, resolve));
		if (at > count / 10) theirs.push(performance.now() - start);
	}
	const [a, b] = [p50(ours), p50(theirs)];
	console.log(`${name}: ${a.toFixed(2)} ms, execFile ${b.toFixed(2)} ms, ratio ${(a / b).toFixed(2)} (p50 of ${ours.length})`);
}

script(`echo 'Current Mode: global' >&2; exec '${fakeTool}' out ${200 << 20}`);
const delay = monitorEventLoopDelay({ resolution: 1 });
await new Promise((resolve) => setTimeout(resolve, 300));
delay.reset();
delay.enable();
const start = performance.now();
const flood = await call();
delay.disable();
console.log(
	`200 MB: ${(performance.now() - start).toFixed(0)} ms (${flood.code ?? "ok"}), event-loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(2)} ms, max ${(delay.max / 1e6).toFixed(2)} ms`,
);
rmSync(root, { recursive: true });
