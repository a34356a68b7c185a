// The debugger in every place where a session can work, with a real one in each.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainerEnvironment, type ExecutionEnvironment, SshEnvironment } from "@lathe/agent/world";
import { describe, expect, it } from "vitest";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { CAN_ISOLATE, makeProject, NEEDS as NEEDS_VIEW } from "../../agent/test/isolate/project.ts";
import { has } from "../../agent/test/programs.ts";
import { CAN_CONFINE, makeCell, NEEDS as NEEDS_CELL } from "../../agent/test/sandbox/cell.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { type Bench, bench, newFolder } from "./debug-kit.ts";

const WAIT = 240_000;
const isLong = process.env["LATHE_LONG"] !== undefined;

const PYTHON = { name: "sum.py", text: "total = 0\nfor n in [1, 2]:\n    total += n\n", where: "<module>" };
const NODE = {
  name: "sum.cjs",
  text: "let total = 0;\nfor (const n of [1, 2])\n    total += n;\n",
  where: "(anonymous)",
};

/** A trace, then the same program step by step. */
async function check(env: ExecutionEnvironment, programs: readonly (typeof PYTHON)[]): Promise<void> {
  const at: Bench = bench(newFolder(), env);
  try {
    for (const { name, text, where } of programs) {
      const program = join(env.workingDirectory(), name);
      await env.writeFile(program, text);
      const traced = await at.say({ action: "trace", program, at: { file: program, line: 3 }, show: ["n", "total"] });
      expect(traced).toBe(
        `${name}:3: 2 hits; the program exited with code 0.\nhit | n | total\n1   | 1 | 0\n2   | 2 | 1`,
      );
      expect(await at.say({ action: "launch", program })).toContain("has stopped: entry");
      expect(await at.say({ action: "set_breakpoint", file: program, line: 3 })).toBe(`Breakpoint at ${name}:3`);
      expect(await at.say({ action: "continue" })).toContain(`${where} at ${name}:3`);
      expect(await at.say({ action: "evaluate", expression: "n + 41" })).toContain("42");
      await at.say({ action: "terminate" });
      expect(await env.readFile(program)).toBe(text);
    }
  } finally {
    await at.close();
  }
}

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("over ssh (needs sshd)", () => {
  it(
    "T-DBG-1 T-DBG-2 Python on another machine",
    async () => {
      const sshd = await startSshd();
      const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-debug-ssh-")));
      try {
        await check(new SshEnvironment(sshd.options(there)), isLong ? [PYTHON, NODE] : [PYTHON]);
      } finally {
        sshd.stop();
        rmSync(there, { recursive: true, force: true });
      }
    },
    WAIT,
  );
});

describe.skipIf(!CAN_CONTAIN)("in a container (needs podman, runc, busybox)", () => {
  it(
    "T-DBG-1 T-DBG-2 Node in a container, with the host's programs",
    async () => {
      const podman = makePodman();
      const { baseEnv, container } = podman;
      const shown = ["/usr", "/lib", "/lib64"].flatMap((path) => ["-v", `${path}:${path}:ro`]);
      const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
      const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
      try {
        podman.run(["exec", id, "mkdir", "/project"]);
        const { cliArgs = [] } = container;
        const env = new ContainerEnvironment({ cwd: "/project", baseEnv, container: id, cli: "podman", cliArgs });
        await check(env, isLong ? [NODE, PYTHON] : [NODE]);
      } finally {
        podman.run(["rm", "-f", "-t", "0", id]);
        podman.remove();
      }
    },
    WAIT,
  );
});

describe.skipIf(!CAN_CONFINE)(`in the sandbox ${NEEDS_CELL}`, () => {
  it(
    "T-DBG-1 T-DBG-2 Node confined like the commands",
    async () => {
      const cell = makeCell();
      try {
        await check(cell.env, isLong ? [NODE, PYTHON] : [NODE]);
      } finally {
        await cell.dispose();
      }
    },
    WAIT,
  );
});

describe.skipIf(!CAN_ISOLATE)(`in an isolated copy ${NEEDS_VIEW}`, () => {
  it(
    "T-DBG-1 T-DBG-2 Node in the copy, which the project does not see",
    async () => {
      const project = makeProject({ "a.txt": "a\n" });
      try {
        const view = await project.open("overlay");
        await check(view.env, isLong ? [NODE, PYTHON] : [NODE]);
      } finally {
        await project.dispose();
      }
    },
    WAIT,
  );
});
