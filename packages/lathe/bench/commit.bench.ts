// What the message of a large commit costs: the tokens of all prompts over those of the diff that git shows.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelServer, turn } from "@lathe/testkit";
import type { Bench } from "../../../scripts/bench-types.ts";
import { tokensOfText } from "../../agent/src/context/compaction/present-context.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const FILES = 80;
/** Of each file, half of which are new and half changed in places. */
const LINES = 250;

export const benches: Bench[] = [
  {
    name: "tokens of the prompts of `lathe commit` on 10,000 changed lines over those of the diff",
    async run() {
      const home = mkdtempSync(join(tmpdir(), "lathe-commit-bench-"));
      const server = await startModelServer({
        script: ({ text }) =>
          turn.text(text.includes("You get a part of a change") ? "It changes values." : "feat: much"),
      });
      try {
        const diff = makeChange(home);
        const lines = diff.split("\n").filter((line) => /^[+-](?![+-])/.test(line)).length;
        if (lines < 10_000) throw new Error(`Only ${lines} lines are changed.`);
        const child = spawn(process.execPath, [CLI, "commit", "--yes", "--model", "openai/gpt-5.2"], {
          cwd: join(home, "project"),
          env: { ...gitEnv(home), OPENAI_API_KEY: "bench", OPENAI_BASE_URL: server.baseUrl("openai") },
          stdio: ["ignore", "ignore", "inherit"],
        });
        const [code] = await once(child, "close");
        if (code !== 0) throw new Error(`lathe commit ended with ${code}.`);
        const sent = server.requests.reduce(
          (sum, { view: { system, messages } }) =>
            sum + tokensOfText(system) + messages.reduce((all, { text }) => all + tokensOfText(text), 0),
          0,
        );
        const own = tokensOfText(diff);
        const note = `${sent} against ${own} tokens, ${server.requests.length} requests, ${lines} lines`;
        return { value: sent / own, unit: "x", budget: 1.2, note };
      } finally {
        await server.close();
        rmSync(home, { recursive: true, force: true });
      }
    },
  },
];

const gitEnv = (home: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
});

/** Stages the change and gives what git shows of it. */
function makeChange(home: string): string {
  const root = join(home, "project");
  mkdirSync(root);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: gitEnv(home), maxBuffer: 1 << 28 }).toString();
  const write = (nth: number, line: (at: number) => string): void => {
    const path = join(root, `src/part-${nth % 10}/module-${nth}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Array.from({ length: LINES }, (_, at) => line(at)).join("\n"));
  };
  const value = (nth: number) => (at: number) =>
    `export const value${at} = compute(${nth}, ${at * 7}); // of module ${nth}`;
  git("init", "-q", ".");
  for (let nth = 0; nth < FILES / 2; nth++) write(nth, value(nth));
  git("add", "-A");
  git("commit", "-qm", "first");
  for (let nth = 0; nth < FILES; nth++)
    write(nth, (at) =>
      nth < FILES / 2 && at % 5 === 0 ? `export const value${at} = load(${nth}, "${at}");` : value(nth)(at),
    );
  git("add", "-A");
  return git("diff", "--cached");
}
