// The package itself: what is in it, what it runs when it is installed, and whether its TypeScript is right.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { MODULES, PACKAGE, PIS, ROOT } from "./support.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));

test("what is packed is what `pack.txt` lists", () => {
	const home = mkdtempSync(join(tmpdir(), "verbgate-pi-"));
	const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--silent"], { cwd: PACKAGE, env: { ...process.env, HOME: home }, encoding: "utf8" });
	rmSync(home, { recursive: true });
	const files = JSON.parse(listed)[0].files.map((file) => `${(file.mode & 0o777).toString(8)} ${file.path}`).sort();
	assert.deepEqual(files, readFileSync(join(HERE, "pack.txt"), "utf8").trimEnd().split("\n"), "if that is meant, change hosts/pi/tests/pack.txt");
});

test("nothing runs when the package is installed, and it brings no other package", () => {
	for (const key of ["scripts", "dependencies", "optionalDependencies", "bin", "gypfile"]) assert.equal(manifest[key], undefined, key);
	assert.deepEqual(Object.keys(manifest.peerDependencies), ["@earendil-works/pi-coding-agent"]);
	assert.deepEqual(manifest.pi, { extensions: ["./extension.ts"] });
});

test("version and licence are the workspace's", () => {
	const workspace = readFileSync(join(ROOT, "Cargo.toml"), "utf8");
	assert.ok(workspace.includes(`version = "${manifest.version}"`));
	assert.ok(workspace.includes(`license = "${manifest.license}"`));
});

test("no name or text of a tool is written in the extension", () => {
	const sources = ["extension.ts", "addon.ts"].map((name) => readFileSync(join(PACKAGE, name), "utf8")).join("\n");
	for (const file of ["cgc_bundle_export", "cgc_context", "cgc_doctor"]) assert.ok(!sources.includes(file), file);
});

for (const pi of PIS) {
	test(`the extension's types fit ${pi}`, () => {
		const folder = mkdtempSync(join(tmpdir(), "verbgate-pi-"));
		writeFileSync(
			join(folder, "tsconfig.json"),
			JSON.stringify({
				compilerOptions: {
					strict: true,
					noEmit: true,
					target: "es2023",
					module: "nodenext",
					moduleResolution: "nodenext",
					allowImportingTsExtensions: true,
					erasableSyntaxOnly: true,
					skipLibCheck: true,
					noUnusedLocals: true,
					noUnusedParameters: true,
					types: ["node"],
					typeRoots: [join(MODULES, "@types")],
					paths: { "@earendil-works/pi-coding-agent": [join(MODULES, pi, "dist/index.d.ts")] },
				},
				files: ["extension.ts", "addon.ts", "tools.d.ts"].map((name) => join(PACKAGE, name)),
			}),
		);
		const checked = spawnSync(process.execPath, [join(MODULES, "typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
		rmSync(folder, { recursive: true });
		assert.equal(checked.status, 0, checked.stdout);
	});
}
