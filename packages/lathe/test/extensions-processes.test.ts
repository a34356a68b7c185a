// Processes that an extension starts itself, in every way that does not block: they end with the extension, and with Lathe
// however it ends. What Lathe starts is not touched by that.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { type RpcHost, type Setup, setup } from "./rpc-host.ts";

let at: Setup;
beforeEach(async () => {
  at = await setup();
  mkdirSync(join(at.box.home, "pids"));
});
afterEach(() => at.remove());

/** A shell command that notes its id under a name and stays. */
const stay = (name: string): string => `sh -c 'echo $$ > "$HOME/pids/${name}"; exec sleep 300'`;
const quoted = (name: string): string => JSON.stringify(`exec ${stay(name)}`);
const inBackground = (name: string, before = ""): string =>
  JSON.stringify(`${before} ${stay(name)} > /dev/null 2>&1 &`);
const ENV = "{ PATH: process.env.PATH, HOME: process.env.HOME }";

/** Ways to start a process that stays, by the name under which it notes its id. */
const WAYS: Readonly<Record<string, string>> = {
  spawned: `spawn("sh", ["-c", ${quoted("spawned")}]);`,
  environment: `spawn("sh", ["-c", ${quoted("environment")}], { env: ${ENV} });`,
  detached: `spawn("sh", ["-c", ${quoted("detached")}], { detached: true, stdio: "ignore" }).unref();`,
  daemon: `spawn("setsid", ["sh", "-c", ${inBackground("daemon")}], { detached: true, stdio: "ignore" }).unref();`,
  grandchild: `exec(${inBackground("grandchild")});`,
  promised: `promisify(execFile)("sh", ["-c", ${quoted("promised")}]).catch(() => {});`,
  forked: `fork(process.env.HOME + "/worker.mjs", { stdio: "ignore" });`,
};
const NAMES = Object.keys(WAYS);
const WORKER = `import { writeFileSync } from "node:fs";
process.addListener("disconnect", () => {});
setInterval(() => {}, 1000);
writeFileSync(process.env.HOME + "/pids/forked", process.pid + "\\n");`;

function extension(name: string, body: string): void {
  const folder = join(at.box.home, ".lathe/extensions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${name}.ts`),
    `import { exec, execFile, execSync, fork, spawn } from "node:child_process";
     import { promisify } from "node:util";
     export default (lathe) => { ${body} };`,
  );
  writeFileSync(join(at.box.home, "worker.mjs"), WORKER);
}

/** Changes the file of an extension, so that all extensions are loaded again. */
async function reload(host: RpcHost, name: string): Promise<void> {
  const from = host.frames.length;
  appendFileSync(join(at.box.home, `.lathe/extensions/${name}.ts`), "\n");
  await host.wait("the end of the reload", ({ message }) => message === `Extensions: ${name}`, from);
}

const noteOf = (name: string): string => {
  const file = join(at.box.home, "pids", name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** The ids that these processes have noted, once all are running. */
async function pidsOf(names: readonly string[]): Promise<number[]> {
  await until(() => names.every((name) => noteOf(name).endsWith("\n")));
  const pids = names.map((name) => Number(noteOf(name)));
  expect(pids.every(isAlive)).toBe(true);
  return pids;
}

const living = (names: readonly string[], pids: readonly number[]): string[] =>
  names.filter((_, i) => isAlive(pids[i]!));

const start = (...args: string[]): Promise<RpcHost> => at.startProcess("--permission-mode", "full", ...args);

it("EX-03 EE-03 when Lathe ends, nothing that an extension has started is left, except what it has unmarked; it is told how many there were", async () => {
  extension(
    "starter",
    `${Object.values(WAYS).join("\n")}
     exec(${inBackground("left", "env -u LATHE_ADOPTED")});
     spawn("env", ["-i", "sh", "-c", "echo $$ > pids/unmarked; exec sleep 300"], { cwd: process.env.HOME });`,
  );
  const host = await start();
  const names = [...NAMES, "unmarked"];
  const [left] = await pidsOf(["left"]);
  const pids = await pidsOf(names);
  expect(await host.finish()).toBe(0);
  expect(living(names, pids)).toEqual([]);
  expect(process.kill(left!)).toBe(true);
  const [, counted] = /The extension starter left open: (\d+) processes\. They were ended/.exec(host.stderr) ?? [];
  // A shell that has put its command into the background may not have ended yet.
  expect(Number(counted)).toBeGreaterThanOrEqual(names.length);
});

it.each(["SIGTERM", "SIGKILL"] as const)(
  "EX-03 EE-03 after %s of Lathe, nothing that an extension has started is left",
  async (signal) => {
    extension("starter", Object.values(WAYS).join("\n"));
    const host = await start();
    const pids = await pidsOf(NAMES);
    process.kill((host.child as { readonly pid?: number }).pid!, signal);
    await until(() => living(NAMES, pids).length === 0);
  },
);

it("EX-03 EE-03 a removed extension's processes end, not those of others; a reload does not let them be started again", async () => {
  extension(
    "keeper",
    `const keep = () => spawn("sh", ["-c", ${quoted("kept")}]).on("exit", () => { execSync("touch $HOME/again"); keep(); });
     keep();`,
  );
  // It fails once its process runs, because otherwise that may be ended before it can note its id.
  extension(
    "no-factory",
    `exec(${inBackground("failed")});
     const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
     const note = process.env.HOME + "/pids/failed";
     return (async () => {
       while (!existsSync(note) || !readFileSync(note, "utf8").endsWith("\\n")) await new Promise((later) => setTimeout(later, 5));
       throw new Error("no");
     })();`,
  );
  const host = await start();
  const [kept] = await pidsOf(["kept"]);
  await until(() => noteOf("failed") !== "" && !isAlive(Number(noteOf("failed"))));
  expect(isAlive(kept!)).toBe(true);
  await reload(host, "keeper");
  expect(isAlive(kept!)).toBe(false);
  await until(() => ![0, kept].includes(Number(noteOf("kept"))));
  expect(await host.finish()).toBe(0);
  expect(isAlive(Number(noteOf("kept")))).toBe(false);
  expect(existsSync(join(at.box.home, "again"))).toBe(false);
  expect(host.stderr).toContain("The extension keeper left open: 1 process. They were ended");
});

it("EX-03 EE-03 what Lathe starts is not the extension's: a tool's job stays at a reload, and neither it nor an MCP server is marked", async () => {
  extension(
    "starter",
    `lathe.on("tool_call", async () => { await promisify(exec)("env > $HOME/own"); });
     spawn("sh", ["-c", ${quoted("spawned")}]);`,
  );
  writeFileSync(
    join(at.box.home, ".lathe/mcp.json"),
    JSON.stringify({ mcpServers: { s: { command: "sh", args: ["-c", "env > $HOME/mcp; exec cat > /dev/null"] } } }),
  );
  const command = `env > $HOME/tool; exec ${stay("job")}`;
  at.server.push(turn.calls([{ name: "shell", args: { command, background: true } }]), turn.text("It runs."));
  const host = await start();
  await host.prompt("go");
  const [job, spawned] = await pidsOf(["job", "spawned"]);
  await reload(host, "starter");
  expect(isAlive(spawned!)).toBe(false);
  expect(isAlive(job!)).toBe(true);
  const variablesOf = (name: string): string => readFileSync(join(at.box.home, name), "utf8");
  await until(() => existsSync(join(at.box.home, "mcp")) && variablesOf("mcp").includes("PATH="));
  expect(variablesOf("own")).toContain("LATHE_ADOPTED=");
  for (const name of ["tool", "mcp"]) expect(variablesOf(name)).not.toContain("LATHE_ADOPTED=");
  expect(await host.finish()).toBe(0);
  expect(isAlive(job!)).toBe(false);
});
