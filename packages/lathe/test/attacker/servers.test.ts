// A hostile server against the whole product: options, session, tools and printing, with a real connection and a
// terminal on both outputs. Afterwards the same session must still work with a sound server, which refuses what the
// vendor would refuse.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { defaultDeps } from "@lathe/llm";
import { type BaseUrlKind, type ModelServer, startModelServer, type Turn, turn } from "@lathe/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch } from "../../src/cli/launch.ts";
import { type Machine, textOnly } from "../../src/platform/machine/machine.ts";
import { CliError } from "../../src/platform/usage/exit.ts";
import { type Chance, mustEnd, rounds } from "./chance.ts";
import { hostileAnswer } from "./hostile-answers.ts";
import { ACTS_ON_TERMINAL } from "./hostile-values.ts";
import { Keyboard, Screen } from "./screen-text.ts";

const APIS: Readonly<Partial<Record<BaseUrlKind, string>>> = {
  anthropic: "anthropic-messages",
  openai: "openai-responses",
  chat: "openai-completions",
  gemini: "google-generative-ai",
  bedrock: "bedrock-converse-stream",
  ollama: "ollama-chat",
};

let root: string;
let server: ModelServer;
let answer: () => Turn;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-server-")));
  server = await startModelServer({ script: () => answer() });
  for (const folder of ["project", "home"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "project", "a.txt"), "\u001b[31mred\u202e\n");
  const providers = Object.entries(APIS).map(
    ([kind, api]) =>
      `  at-${kind}:\n    baseUrl: ${server.baseUrl(kind as BaseUrlKind)}\n    api: ${api}\n    apiKey: k\n    models: [{id: m}]\n`,
  );
  writeFileSync(join(root, "home", "models.yml"), `providers:\n${providers.join("")}`);
  writeFileSync(
    join(root, "home", "config.yml"),
    "retry: {baseDelay: 0.001, maxRetries: 2, maxMinutes: 0.02}\ntimeouts: {firstEvent: 1, stall: 1}\n",
  );
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function machineWith(stdin: PassThrough, stdout: Screen, stderr: Screen): Machine {
  const terminal = stdout as unknown as NodeJS.WriteStream;
  return {
    // Without programs: no call may run one here, and looking for git would take longer than everything else.
    env: {
      PATH: "/nowhere",
      LATHE_HOME: join(root, "home"),
      HOME: root,
      NO_COLOR: "1",
      TERM: "dumb",
      LATHE_NO_TITLE: "1",
    },
    cwd: join(root, "project"),
    userHome: root,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps(),
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: textOnly(terminal),
    stderr: textOnly(stderr as unknown as NodeJS.WriteStream),
    terminal,
  };
}

async function run(args: readonly string[]): Promise<Run> {
  const [stdin, stdout, stderr] = [new PassThrough(), new Screen(), new Screen()];
  stdin.end();
  const code = await mustEnd(
    30_000,
    `lathe ${args.join(" ")}`,
    launch(args, machineWith(stdin, stdout, stderr)).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      stderr.write(error.message);
      return error.exitCode;
    }),
  );
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A user who asks twice in plain mode; the second time, the server is sound. */
async function typed(args: readonly string[]): Promise<Run> {
  const [stdin, stdout, stderr] = [new Keyboard(), new Screen(), new Screen()];
  const left = launch(args, machineWith(stdin, stdout, stderr));
  const conversation = async (): Promise<number> => {
    await stdout.endsWith("› ");
    for (const line of ["go", "again"]) {
      if (line === "again") answer = sound;
      stdin.write(`${line}\r`);
      stdout.text += "\n";
      await stdout.endsWith("› ");
    }
    stdin.write("/quit\r");
    return left;
  };
  return { code: await mustEnd(30_000, "the plain mode", conversation()), stdout: stdout.text, stderr: stderr.text };
}

const sound = (): Turn => turn.text("fine");

/** The first answers are hostile; a client that asks often enough gets a sound one. */
function hostile(chance: Chance): () => Turn {
  let left = 1 + chance.below(4);
  return () => (left-- > 0 ? hostileAnswer(chance) : sound());
}

/**
 * An answer, a failure, a provider error, a denied call, a limit, a question: each has its own code, and none is 70.
 */
const PROPER_ENDS = [0, 1, 3, 4, 5, 6];

it("D3 a hostile server ends no process, draws on no terminal and spoils no session", async () => {
  const options = ["--permission-mode", "read-only"];
  await rounds("hostile servers", { few: 12, many: 10_000 }, async (chance) => {
    const model = ["--model", `at-${chance.pick(Object.keys(APIS))}/m`];
    answer = hostile(chance);
    if (chance.percent(10)) {
      const { code, stdout, stderr } = await typed([...model, ...options]);
      expect(stdout + stderr).not.toMatch(ACTS_ON_TERMINAL);
      expect([code, stdout.slice(stdout.lastIndexOf("again"))]).toEqual([0, expect.stringContaining("fine")]);
    } else {
      const first = await run([...model, ...options, "-p", "go"]);
      expect(first.stdout + first.stderr).not.toMatch(ACTS_ON_TERMINAL);
      if (!PROPER_ENDS.includes(first.code)) throw new Error(`a run ended with ${JSON.stringify(first)}`);
      answer = sound;
      const later = await run([...model, ...options, "-c", "-p", "again"]);
      if (later.code !== 0 || later.stdout !== "fine\n") throw new Error(`a later run: ${JSON.stringify(later)}`);
    }
    for (const name of readdirSync(join(root, "home", "sessions")))
      rmSync(join(root, "home", "sessions", name), { recursive: true });
  });
}, 3_600_000);
