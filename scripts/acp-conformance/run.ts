// Runs acpx, a public client of the Agent Client Protocol, against the built `lathe acp`, and prints one line per
// scenario: npm run test:acp-conformance. The newer acpx needs Node 22: it is installed into node_modules/.cache on the
// first run, and runs under the Node 24 that scripts/setup-system.sh has put into the cache. The table is in
// docs/conformance.md.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelTurn, startModelServer, turn } from "@lathe/testkit";

const NEWER = "0.19.1";
const root = join(import.meta.dirname, "..", "..");
const cli = join(root, "packages", "lathe", "dist", "cli.js");

interface Client {
  readonly version: string;
  readonly node: string;
  readonly acpx: string;
}

interface Scenario {
  readonly name: string;
  readonly script: readonly ModelTurn[];
  /** Command lines of acpx to run one after the other; the last one's output is checked. */
  readonly commands: readonly (readonly string[])[];
  /** Returns what is wrong; undefined if nothing is. */
  check(run: { readonly output: string; readonly status: number | null; readonly dir: string }): string | undefined;
}

const write: ModelTurn = turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "one\n" } }]);
const command: ModelTurn = turn.calls([{ name: "shell", args: { command: "echo from-the-terminal" } }]);
const says = (words: string) => (run: { readonly output: string }) =>
  run.output.includes(words) ? undefined : `"${words}" is missing in ${JSON.stringify(run.output.slice(-300))}`;

const scenarios: readonly Scenario[] = [
  {
    name: "create, prompt",
    script: [turn.text("It is done.")],
    commands: [["exec", "hello"]],
    check: says("It is done."),
  },
  {
    name: "permission given, file written through the client, diff",
    script: [write, turn.text("written")],
    commands: [["--approve-all", "exec", "write"]],
    check: ({ dir, output }) =>
      existsSync(join(dir, "a.txt")) && readFileSync(join(dir, "a.txt"), "utf8") === "one\n"
        ? says("written")({ output })
        : "the file was not written",
  },
  {
    name: "permission refused",
    script: [write, turn.text("it was denied")],
    commands: [["--deny-all", "exec", "write"]],
    check: ({ dir, output }) =>
      existsSync(join(dir, "a.txt")) ? "the file was written" : says("it was denied")({ output }),
  },
  {
    name: "command in the client's terminal",
    script: [command, turn.text("ran")],
    commands: [["--approve-all", "exec", "run"]],
    check: says("from-the-terminal"),
  },
  {
    name: "session created, prompted, loaded by another process, prompted",
    script: [turn.text("first answer"), turn.text("second answer")],
    commands: [
      ["sessions", "new"],
      ["prompt", "one"],
      ["prompt", "two"],
    ],
    check: says("second answer"),
  },
  {
    name: "mode set",
    script: [turn.text("answer")],
    commands: [
      ["sessions", "new"],
      ["set-mode", "read-only"],
    ],
    check: ({ status, output }) => (status === 0 ? undefined : output.slice(-300)),
  },
  {
    name: "cancel without a prompt",
    script: [turn.text("answer")],
    commands: [["sessions", "new"], ["cancel"]],
    check: ({ status, output }) => (status === 0 ? undefined : output.slice(-300)),
  },
];

function clients(): readonly Client[] {
  const older = join(root, "node_modules", "acpx");
  const { version } = JSON.parse(readFileSync(join(older, "package.json"), "utf8")) as { version: string };
  const node24 = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "lathe-ci", "node24", "bin", "node");
  const newer = installed();
  if (!existsSync(node24)) throw new Error(`Node 24 is not at ${node24}: run scripts/setup-system.sh`);
  return [
    { version, node: process.execPath, acpx: join(older, "dist", "cli.js") },
    { version: NEWER, node: node24, acpx: newer },
  ];
}

function installed(): string {
  const place = join(root, "node_modules", ".cache", `acpx-${NEWER}`);
  const acpx = join(place, "node_modules", "acpx", "dist", "cli.js");
  if (existsSync(acpx)) return acpx;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), "{}");
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", `acpx@${NEWER}`], {
    cwd: place,
    stdio: "inherit",
  });
  return acpx;
}

async function problemOf({ node, acpx }: Client, { script, commands, check }: Scenario): Promise<string | undefined> {
  const server = await startModelServer({ script: [...script] });
  const home = mkdtempSync(join(tmpdir(), "lathe-acpx-"));
  const dir = join(home, "project");
  mkdirSync(dir);
  const agent = [process.execPath, cli, "acp", "--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "ask"];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ANTHROPIC_API_KEY: "sk-test-4f9a-secret",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
  };
  try {
    let last = { output: "", status: 0 as number | null };
    for (const words of commands)
      last = await run(node, [acpx, "--agent", agent.join(" "), "--ttl", "1", ...words], { dir, env });
    return check({ ...last, dir });
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Asynchronous, since the process talks to a server in this one. */
async function run(
  node: string,
  args: readonly string[],
  { dir, env }: { readonly dir: string; readonly env: Record<string, string> },
): Promise<{ output: string; status: number | null }> {
  const child = spawn(node, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) => child.once("close", (status) => resolve({ output, status })));
}

if (!existsSync(cli)) spawnSync("npm", ["run", "build"], { cwd: root, stdio: "inherit" });
let failures = 0;
for (const client of clients()) {
  for (const scenario of scenarios) {
    const problem = await problemOf(client, scenario);
    if (problem !== undefined) failures++;
    console.log(
      `| acpx ${client.version} | ${scenario.name} | ${problem === undefined ? "passed" : `failed: ${problem}`} |`,
    );
  }
}
console.log(`${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
