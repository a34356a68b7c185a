// Runs the public conformance suite for MCP clients against ours, and its server scenarios that need no particular
// tools against the coordinator, and prints one line per scenario: npm run test:mcp-conformance. The suite is installed
// into node_modules/.cache on the first run; its report is in docs/conformance.md.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startAdapter } from "./coordinator-adapter.mjs";

const VERSION = "0.1.16";
const root = join(import.meta.dirname, "..", "..");
const place = join(root, "node_modules", ".cache", `mcp-conformance-${VERSION}`);
const suite = join(place, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
if (!existsSync(suite)) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), "{}");
  const spec = `@modelcontextprotocol/conformance@${VERSION}`;
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec], {
    cwd: place,
    stdio: "inherit",
  });
}
const node = ["--import", join(import.meta.dirname, "fs-hook.mjs"), suite];
const listed = spawnSync(process.execPath, [...node, "list", "--client"], { encoding: "utf8" }).stdout;
const scenarios = [...listed.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
const client = [
  process.execPath,
  "--conditions=lathe-source",
  "--import",
  join(root, "scripts", "source-loader.mjs"),
  join(import.meta.dirname, "client.ts"),
].join(" ");
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.some((word) => name.includes(word));
let failures = 0;
function report(name, versions, out) {
  const checks = readdirSync(out, { recursive: true })
    .filter((file) => file.endsWith("checks.json"))
    .flatMap((file) => JSON.parse(readFileSync(join(out, file), "utf8")));
  const count = (status) => checks.filter((check) => check.status === status).length;
  const failed = checks.filter((check) => check.status === "FAILURE");
  failures += checks.length === 0 ? 1 : failed.length;
  console.log(
    `| ${name} | ${versions} | ${count("SUCCESS")} | ${count("WARNING")} | ${failed.length} | ${failed.map((check) => check.errorMessage ?? check.id).join("; ")} |`,
  );
}
for (const [, name, versions] of scenarios) {
  if (!isWanted(name)) continue;
  const out = mkdtempSync(join(tmpdir(), "lathe-conformance-out-"));
  spawnSync(process.execPath, [...node, "client", "--command", client, "--scenario", name, "-o", out], {
    encoding: "utf8",
    cwd: root,
  });
  report(name, versions, out);
}
/** The other scenarios use tools, prompts and resources that the suite expects by name. */
for (const name of ["server-initialize", "ping", "tools-list"].filter(isWanted)) {
  const adapter = await startAdapter(join(root, "packages/lathe/dist/cli.js"));
  const out = mkdtempSync(join(tmpdir(), "lathe-conformance-out-"));
  const args = [...node, "server", "--url", adapter.url, "--scenario", name, "-o", out];
  // The exit code depends only on the checks.
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch(() => undefined);
  report(name, "coordinator", out);
  await adapter.close();
}
console.log(`${failures} failed checks`);
