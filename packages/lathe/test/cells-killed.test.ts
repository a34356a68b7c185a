// The agent is killed while cells run and programs are debugged: none of their processes remain.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Turn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { has } from "../../agent/test/programs.ts";
import { CAN_CONFINE } from "../../agent/test/sandbox/cell.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { bundleOf } from "../../agent/test/support/bundle.ts";
import { stage } from "./contract-kit.ts";
import { PATH } from "./debug-kit.ts";
import { startedIn } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const WAIT = 240_000;

const FILES = {
  "loop.py":
    "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '300'])\nopen('ready', 'w').close()\nn = 0\nwhile True:\n    n += 1\n",
  "loop.cjs":
    "require('node:child_process').spawn('sleep', ['300'], { detached: true });\nrequire('node:fs').writeFileSync('ready', '');\nsetInterval(() => {}, 5);\n",
  "c.txt":
    '#include <fcntl.h>\n#include <unistd.h>\nint main(void) {\n  if (fork() == 0) { setsid(); for (;;) sleep(1); }\n  open("ready", O_CREAT | O_WRONLY, 0600);\n  for (;;) sleep(1);\n}\n',
  "go.mod": "module loop\n\ngo 1.19\n",
  "loop.go":
    'package main\n\nimport (\n\t"os"\n\t"os/exec"\n)\n\nfunc main() {\n\texec.Command("sleep", "300").Start()\n\tos.Create("ready")\n\tfor {\n\t}\n}\n',
};

interface Situation {
  readonly name: string;
  readonly calls: readonly Turn[];
  /** The kill comes with the file `ready`; else when the model is asked again after all calls. */
  readonly whileItRuns?: boolean;
  readonly options?: readonly string[];
  /** Makes the program. */
  readonly build?: readonly [string, ...string[]];
}

const debug = (args: object): Turn => turn.calls([{ name: "debug", args }]);
const cell = (language: "py" | "js", code: string): Turn =>
  turn.calls([{ name: "eval", args: { cells: [{ language, code, timeout: 600 }] } }]);
const launchTurns = (program: string): Turn[] => [debug({ action: "launch", program })];
const runningTurns = (program: string): Turn[] => [
  ...launchTurns(program),
  debug({ action: "continue", timeout: 300 }),
];
const READY = "open('ready', 'w').close()";
const SLEEP = "import subprocess\nsubprocess.Popen(['sleep', '300'])\n";
const DAEMON =
  "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    os.chdir('/')\n    os.closerange(0, 20)\n    time.sleep(300)\n  os._exit(0)\n";

const IN_GATE: readonly Situation[] = [
  { name: "a Python program with a child runs", calls: runningTurns("loop.py"), whileItRuns: true },
  {
    name: "a JavaScript cell runs, with a child that left its session",
    calls: [cell("js", `${FILES["loop.cjs"]}while (true) {}`)],
    whileItRuns: true,
  },
];
const C = ["gcc", "-g", "-o", "loop", "-x", "c", "c.txt"] as const;
const GO = ["go", "build", "-gcflags=-N -l", "-o", "loop", "."] as const;
const IN_LONG_RUNS: readonly Situation[] = [
  { name: "a Python program has stopped", calls: launchTurns("loop.py") },
  { name: "a Node program has stopped", calls: launchTurns("loop.cjs") },
  { name: "a Node program with a child runs", calls: runningTurns("loop.cjs"), whileItRuns: true },
  {
    name: "a C program has stopped",
    calls: [debug({ action: "launch", program: "loop", adapter: "lldb-dap" })],
    build: C,
  },
  {
    name: "a C program with a child runs",
    calls: [
      debug({ action: "launch", program: "loop", adapter: "lldb-dap" }),
      debug({ action: "continue", timeout: 300 }),
    ],
    whileItRuns: true,
    build: C,
  },
  {
    name: "a Go program has stopped",
    calls: [debug({ action: "launch", program: "loop", adapter: "delve" })],
    build: GO,
  },
  {
    name: "a Go program with a child runs",
    calls: [
      debug({ action: "launch", program: "loop", adapter: "delve" }),
      debug({ action: "continue", timeout: 300 }),
    ],
    whileItRuns: true,
    build: GO,
  },
  {
    name: "a trace is under way",
    calls: [debug({ action: "trace", program: "loop.py", at: "loop.py:6", show: ["n"], hits: 1000, timeout: 300 })],
    whileItRuns: true,
  },
  { name: "kernels of both languages are idle", calls: [cell("py", SLEEP), cell("js", "1")] },
  { name: "a Python cell runs", calls: [cell("py", `${READY}\nwhile True: pass`)], whileItRuns: true },
  {
    name: "a Python cell waits for a program",
    calls: [cell("py", "import subprocess\nsubprocess.run('touch ready; sleep 300; true', shell=True)")],
    whileItRuns: true,
  },
  {
    name: "a cell has made a daemon",
    calls: [cell("py", `${DAEMON}${READY}\ntime.sleep(300)`)],
    whileItRuns: true,
  },
  {
    name: "a call inside a cell is under way",
    calls: [cell("py", "tool.bash(command='touch ready; sleep 300; true')")],
    whileItRuns: true,
  },
  {
    name: "a cell runs in the sandbox",
    calls: [cell("py", `${SLEEP}${READY}\nwhile True: pass`)],
    whileItRuns: true,
    options: ["--sandbox"],
  },
  { name: "a program runs in the sandbox", calls: runningTurns("loop.cjs"), whileItRuns: true, options: ["--sandbox"] },
];

const situations = (isLong ? [...IN_GATE, ...IN_LONG_RUNS] : IN_GATE).filter(
  ({ build, options }) => (build === undefined || has(build[0])) && (options === undefined || CAN_CONFINE),
);

describe.skipIf(!has("python3"))("the agent is killed (needs python3)", () => {
  it.each(situations)(
    "T-DBG-1 G-88 SIGKILL of the agent while $name: nothing is left",
    async ({ calls, whileItRuns, options = [], build }) => {
      let asked = 0;
      const scene = await stage(() => calls[asked++] ?? new Promise(() => {}));
      const { dir, home } = scene.box;
      try {
        writeFileSync(join(home, "fast.yml"), "tools:\n  discoveryMode: off\n");
        for (const [name, text] of Object.entries(FILES)) writeFileSync(join(dir, name), text);
        const go = { GOCACHE: join(homedir(), ".cache/go-build"), GOPROXY: "off" };
        if (build) execFileSync(build[0], build.slice(1), { cwd: dir, env: { ...process.env, ...go } });
        const args = [...scene.args, "--permission-mode", "full", "--profile", "lathe", ...options, "-p", "go"];
        const agent = scene.box.start(args, { ...scene.env, ...go, PATH });
        agent.stdin.end();
        agent.stdout.resume();
        agent.stderr.pipe(process.stderr);
        await until(() => (whileItRuns ? existsSync(join(dir, "ready")) : asked > calls.length));
        const left = () => startedIn(home).filter(({ pid }) => pid !== agent.pid);
        expect(left()).not.toEqual([]);
        agent.kill("SIGKILL");
        await once(agent, "close");
        await untilGone(left);
      } finally {
        await scene.close();
      }
    },
    WAIT,
  );
});

async function untilGone(left: () => readonly unknown[]): Promise<void> {
  const began = performance.now();
  await until(() => left().length === 0);
  if (isLong) console.log(`gone after ${Math.round(performance.now() - began)} ms`);
}

async function killHost(where: object, folder: string): Promise<void> {
  const program = await bundleOf("./kill-host.ts", import.meta.url);
  const host = spawn(process.execPath, [program, JSON.stringify(where)], {
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(host.stdout)) if (line === "ready") break;
  // The kernel, its child and the debugged program.
  expect(processesIn(folder).length).toBeGreaterThanOrEqual(3);
  host.kill("SIGKILL");
  await untilGone(() => processesIn(folder));
}

const processesIn = (folder: string): string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && isAlive(Number(name)) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });

// In the gate a skipped test counts as failed, so these are not even listed there.
const elsewhere = isLong ? describe : { skipIf: () => () => {} };

elsewhere.skipIf(!has("sshd", "ssh", "ssh-keygen"))("elsewhere (needs sshd)", () => {
  it(
    "T-DBG-1 G-88 SIGKILL of the agent ends cells and programs on another machine",
    async () => {
      const sshd = await startSshd();
      const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-killed-ssh-")));
      try {
        await killHost({ ssh: sshd.options(there) }, there);
      } finally {
        sshd.stop();
        rmSync(there, { recursive: true, force: true });
      }
    },
    WAIT,
  );

  it.skipIf(!CAN_CONTAIN)(
    "T-DBG-1 G-88 SIGKILL of the agent ends cells and programs in a container",
    async () => {
      const podman = makePodman();
      const { baseEnv, container } = podman;
      const shown = ["/usr", "/lib", "/lib64"].flatMap((path) => ["-v", `${path}:${path}:ro`]);
      const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
      const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
      try {
        podman.run(["exec", id, "mkdir", "/lathe-killed"]);
        const { cliArgs = [] } = container;
        const options = { cwd: "/lathe-killed", baseEnv, container: id, cli: "podman", cliArgs };
        await killHost({ container: options }, "/lathe-killed");
      } finally {
        podman.run(["rm", "-f", "-t", "0", id]);
        podman.remove();
      }
    },
    WAIT,
  );
});
