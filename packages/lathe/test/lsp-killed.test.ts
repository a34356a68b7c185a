// The agent is killed while language servers run: none of them is left, nor what they have started.

import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { stage } from "./contract-kit.ts";
import { REPOSITORY } from "./lsp-projects.ts";
import { startedIn } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;

const FILES = {
  "biome.json": "{}\n",
  "a.js": "export const x = 1;\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  "a.sh": "echo 1\n",
  "pyproject.toml": '[project]\nname = "x"\n',
  "a.py": "x = 1\n",
};

const read = turn.calls(["a.js", "a.sh", "a.py"].map((path, at) => ({ name: "read", args: { path }, id: `${at}` })));
const write = turn.calls([
  { name: "write", args: { path: "a.js", content: "debugger;\n" } },
  { name: "write", args: { path: "a.sh", content: "if true; then\n" } },
  { name: "write", args: { path: "a.py", content: "x: str = 1\n" } },
]);

/** At which request of the model the agent is killed, and whether the servers stand still before. */
const SITUATIONS: readonly (readonly [when: string, request: number, stopped: boolean])[] = [
  ["after edits", 3, false],
  ["after edits, with every server stopped", 3, true],
  ["while servers start", 2, false],
];

it.each(isLong ? SITUATIONS : SITUATIONS.slice(1, 2))(
  "LP-02 SIGKILL of the agent %s: no server is left, biome's daemon included",
  async (_when, at, isStopped) => {
    let reached: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let requests = 0;
    const scene = await stage(() => {
      requests++;
      if (requests < at) return requests === 1 ? read : write;
      reached();
      return new Promise(() => {});
    });
    const { dir, home } = scene.box;
    try {
      for (const [name, text] of Object.entries(FILES)) {
        mkdirSync(dirname(join(dir, name)), { recursive: true });
        writeFileSync(join(dir, name), text);
      }
      await scene.box.run(["trust"]);
      const PATH = `${join(REPOSITORY, "node_modules/.bin")}:${process.env["PATH"]}`;
      const args = [...scene.args, "--permission-mode", "full", "--profile", "lathe", "go"];
      const child = scene.box.start(args, { ...scene.env, PATH });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      await arrived;
      const servers = (): { readonly pid: number; readonly line: string }[] =>
        startedIn(home).filter(({ pid }) => pid !== child.pid);
      if (at === 3) {
        const lines = servers().map(({ line }) => line);
        for (const name of ["biome", "bash-language-server", "pyright-langserver", "__run_server"])
          expect(
            lines.some((line) => line.includes(name)),
            `${name} in ${lines.join("\n")}`,
          ).toBe(true);
      }
      if (isStopped) for (const { pid } of servers()) process.kill(pid, "SIGSTOP");
      child.kill("SIGKILL");
      await once(child, "close");
      await until(() => servers().length === 0);
    } finally {
      await scene.close();
    }
  },
  120_000,
);
