// The agent is killed while language servers run: none of their processes remain.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Turn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { has } from "../../agent/test/programs.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { stage } from "./contract-kit.ts";
import { makeTypeScriptProject, PROJECTS, REPOSITORY } from "./lsp-projects.ts";
import { manyFiles, writeFiles } from "./lsp-rename-project.ts";
import { setup } from "./rpc-host.ts";
import { runningWith, startedIn } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const SERVER = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
const FULL = ["--permission-mode", "full", "--profile", "lathe"];
const PATH = `${join(REPOSITORY, "node_modules/.bin")}:${process.env["PATH"]}`;

interface Situation {
  readonly when: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the model does; its last request before the kill is not answered. */
  readonly turns: readonly Turn[];
  /** True when it is time; else the request after the last turn says so. */
  readonly isTime?: (dir: string) => boolean;
  readonly options?: readonly string[];
  /** What must be running then. */
  readonly running: readonly string[];
  readonly isStopped?: boolean;
  readonly prepare?: (dir: string) => void;
}

const lsp = (args: object) => turn.calls([{ name: "lsp", args: { file: "a.xyz", line: 1, symbol: "one", ...args } }]);
const hover = lsp({ action: "hover" });
const definition = lsp({ action: "definition" });
const write = (path: string, content: string) => turn.calls([{ name: "write", args: { path, content } }]);

function scriptedServer(behaviour: string): Record<string, string> {
  const server = { command: process.execPath, args: [SERVER, behaviour], fileTypes: [".xyz"], rootMarkers: ["a.xyz"] };
  return { "a.xyz": "one\n", "lsp.json": JSON.stringify({ servers: { xyz: server } }) };
}

const hasReached = (dir: string): boolean => existsSync(join(dir, "reached"));

/** The agent waits for a server that does not answer this. */
const stuck = (when: string, method: string, asked: Turn): Situation => ({
  when,
  files: scriptedServer(`hangs at ${method}`),
  turns: [asked],
  isTime: hasReached,
  running: [SERVER, "sleep 300"],
});

const REAL: Pick<Situation, "files" | "running"> = {
  files: {
    "biome.json": "{}\n",
    "a.js": "export const x = 1;\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    "a.sh": "echo 1\n",
    "pyproject.toml": '[project]\nname = "x"\n',
    "a.py": "x = 1\n",
  },
  running: ["biome", "bash-language-server", "pyright-langserver", "__run_server"],
};
const readAll = turn.calls(["a.js", "a.sh", "a.py"].map((path, at) => ({ name: "read", args: { path }, id: `${at}` })));
const writeAll = turn.calls([
  { name: "write", args: { path: "a.js", content: "debugger;\n" } },
  { name: "write", args: { path: "a.sh", content: "if true; then\n" } },
  { name: "write", args: { path: "a.py", content: "x: str = 1\n" } },
]);

const SITUATIONS: readonly Situation[] = [
  { when: "after edits, with every server stopped", ...REAL, turns: [readAll, writeAll], isStopped: true },
  { when: "after edits", ...REAL, turns: [readAll, writeAll] },
  { when: "while servers start", ...REAL, turns: [readAll], running: [] },
  stuck("while a server is being initialized", "initialize", hover),
  stuck("in the middle of a question", "textDocument/hover", hover),
  stuck("while an edit waits for its errors", "textDocument/didOpen", write("a.xyz", "two\n")),
  {
    when: "while a server reads the project",
    files: scriptedServer("loads for ever"),
    turns: [definition],
    isTime: hasReached,
    running: [SERVER],
  },
  {
    when: "while a rename is written",
    files: manyFiles(200),
    prepare: makeTypeScriptProject,
    turns: [
      turn.calls([
        { name: "lsp", args: { action: "rename", file: "src/def.ts", line: 1, symbol: "greet", new_name: "hail" } },
      ]),
    ],
    isTime: (dir) => readFileSync(join(dir, "src/def.ts"), "utf8").includes("hail"),
    running: ["--lsp"],
  },
  {
    when: "with a server that has a child",
    files: PROJECTS["typescript-language-server"]!.files,
    prepare: (dir) => {
      mkdirSync(join(dir, "node_modules"));
      symlinkSync(join(REPOSITORY, "packages/testkit/node_modules/typescript"), join(dir, "node_modules/typescript"));
    },
    turns: [write("src/c.ts", "export const c: string = 1;\n")],
    running: ["typescript-language-server", "tsserver.js"],
  },
  { ...stuck("with a server in the sandbox", "textDocument/hover", hover), options: ["--sandbox"] },
  {
    when: "with a server in an isolated copy",
    files: scriptedServer("hangs at nothing"),
    turns: [hover],
    options: ["--worktree", "feat"],
    running: [SERVER, "sleep 300"],
  },
];

/** How long each one took, for the long form. */
const took: string[] = [];

async function awaitNone(when: string, left: () => readonly unknown[]): Promise<void> {
  const begun = performance.now();
  await until(() => left().length === 0);
  took.push(`${when}: ${Math.round(performance.now() - begun)} ms`);
  if (isLong) process.stderr.write(`${took.at(-1)}\n`);
}

function mustRun(names: readonly string[], lines: readonly string[]): void {
  for (const name of names) expect(lines.join("\n")).toContain(name);
}

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("SIGKILL of the agent (needs bwrap, nsenter, unshare)", () => {
  it.each(isLong ? SITUATIONS : SITUATIONS.slice(0, 1))(
    "LP-02 $when: no server is left, nor what it has started, biome's daemon included",
    async ({ when, files, turns, isTime, options = [], running, isStopped, prepare }) => {
      let asked = 0;
      const scene = await stage(() => turns[asked++] ?? new Promise(() => {}));
      const { dir, home } = scene.box;
      try {
        prepare?.(dir);
        writeFiles(dir, files);
        await scene.box.run(["trust"]);
        const child = scene.box.start([...scene.args, ...FULL, ...options, "go"], { ...scene.env, PATH });
        child.stdin.end();
        child.stdout.resume();
        child.stderr.resume();
        await until(() => isTime?.(dir) ?? asked > turns.length);
        const servers = () => startedIn(home).filter(({ pid }) => pid !== child.pid);
        mustRun(
          running,
          servers().map(({ line }) => line),
        );
        if (isStopped) for (const { pid } of servers()) process.kill(pid, "SIGSTOP");
        child.kill("SIGKILL");
        await once(child, "close");
        await awaitNone(when, servers);
      } finally {
        await scene.close();
      }
    },
    120_000,
  );

  it("LP-02 in the second session of a run, in the middle of a question: no server is left, nor what it has started", async () => {
    const rig = await setup();
    try {
      writeFiles(rig.box.dir, scriptedServer("hangs at textDocument/definition"));
      await rig.box.run(["trust"]);
      const host = await rig.startProcess(...FULL);
      rig.server.push(hover, turn.text("done"));
      await host.prompt("one");
      await host.data("new_session");
      rig.server.push(definition);
      host.send({ type: "prompt", message: "two" });
      await until(() => hasReached(rig.box.dir));
      const left = () => startedIn(rig.box.home).filter(({ pid }) => pid !== host.child.pid);
      mustRun(
        [SERVER, "sleep 300"],
        left().map(({ line }) => line),
      );
      expect(left().filter(({ line }) => line.includes(SERVER))).toHaveLength(1);
      host.child.kill("SIGKILL");
      await awaitNone("after /new", left);
    } finally {
      await rig.remove();
    }
  }, 120_000);
});

/** The agent as a library, at work on another machine: `place` names it. The server has `mark` among its arguments. */
async function killElsewhere(when: string, place: object, mark: string): Promise<void> {
  const loader = fileURLToPath(new URL("../../../scripts/source-loader.mjs", import.meta.url));
  const host = fileURLToPath(new URL("lsp-kill-host.ts", import.meta.url));
  const source = ["--conditions=lathe-source", "--import", loader, host];
  const child = spawn(process.execPath, [...source, JSON.stringify({ ...place, server: SERVER, mark })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const servers = () =>
    runningWith(mark).filter(({ line }) => line.includes(SERVER) && !line.includes("lsp-kill-host"));
  mustRun(
    [mark],
    servers().map(({ line }) => line),
  );
  child.kill("SIGKILL");
  await awaitNone(when, servers);
}

if (isLong) {
  describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("SIGKILL of an agent over ssh (needs sshd)", () => {
    it("LP-02 no server is left on the other machine", async () => {
      const sshd = await startSshd();
      const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lsp-ssh-")));
      try {
        await killElsewhere("over ssh", { ssh: sshd.options(there) }, there);
      } finally {
        sshd.stop();
        rmSync(there, { recursive: true, force: true });
      }
    }, 120_000);
  });

  describe.skipIf(!CAN_CONTAIN)("SIGKILL of an agent with a container (needs podman, runc, busybox)", () => {
    it("LP-02 no server is left in the container", async () => {
      const podman = makePodman();
      const { baseEnv, container } = podman;
      const shown = ["/usr", "/lib", "/lib64", REPOSITORY].flatMap((path) => ["-v", `${path}:${path}:ro`]);
      const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
      const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
      try {
        podman.run(["exec", id, "mkdir", "/project"]);
        const { cliArgs = [] } = container;
        await killElsewhere(
          "in a container",
          { container: { cwd: "/project", baseEnv, container: id, cli: "podman", cliArgs } },
          id,
        );
      } finally {
        podman.run(["rm", "-f", "-t", "0", id]);
        podman.remove();
      }
    }, 120_000);
  });
}
