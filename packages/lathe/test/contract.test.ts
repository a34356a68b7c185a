// Every way an unattended run can end, in every output mode: the exit code, one line on stderr that says what to do,
// only the answer on stdout, and in JSON mode a result at the end.

import { createServer } from "node:net";
import { violationOf } from "@lathe/llm";
import { type Script, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { errorLines, jsonLines, publishedSchema, stage } from "./contract-kit.ts";

interface Cause {
  readonly name: string;
  readonly script?: Script;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly code: number;
  readonly status: string;
  readonly text?: string;
  /** What the last line on stderr must say. */
  readonly says?: RegExp;
  readonly denied?: readonly string[];
}

const shell = (command: string) => turn.calls([{ name: "shell", args: { command }, id: "toolu_1" }]);
const down = (status: number, retryAfter?: number): Script => {
  const error = turn.error(status, retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } });
  return () => error;
};

const CAUSES: readonly Cause[] = [
  { name: "an answer", script: [turn.text("It is done.")], code: 0, status: "done", text: "It is done." },
  {
    name: "a refusal",
    script: [turn.text("", { stop: "content_filter" })],
    code: 1,
    status: "failed",
    says: /refused/,
  },
  { name: "an empty answer", script: [turn.text("")], code: 1, status: "failed", says: /empty answer/ },
  {
    name: "an answer cut at the output limit",
    script: [turn.text("It is do", { stop: "length" })],
    code: 1,
    status: "failed",
    text: "It is do",
    says: /cut.*lathe -c/,
  },
  {
    name: "an unknown option",
    args: ["--permision-mode", "x"],
    code: 2,
    status: "usage_error",
    says: /--permission-mode/,
  },
  { name: "an option with swapped letters", args: ["--modle", "x"], code: 2, status: "usage_error", says: /--model\b/ },
  { name: "an unknown model", args: ["--model", "nobody/x"], code: 2, status: "usage_error", says: /lathe models/ },
  { name: "an unknown session", args: ["-r", "feedbeef"], code: 2, status: "usage_error", says: /lathe sessions list/ },
  { name: "a missing file", args: ["@nowhere.txt"], code: 2, status: "usage_error", says: /nowhere\.txt/ },
  { name: "a bad limit", args: ["--max-turns", "0"], code: 2, status: "usage_error", says: /whole number/ },
  {
    name: "a missing schema",
    args: ["--output-schema", "nowhere.json"],
    code: 2,
    status: "usage_error",
    says: /nowhere\.json/,
  },
  { name: "a wrong key (401)", script: down(401), code: 3, status: "provider_error", says: /lathe auth status/ },
  {
    name: "a model the vendor does not have (404)",
    script: down(404),
    code: 3,
    status: "provider_error",
    says: /lathe models/,
  },
  {
    name: "a rate limit that outlasts all retries (429)",
    script: down(429),
    code: 3,
    status: "provider_error",
    says: /lathe -c/,
  },
  {
    name: "a longer wait than we take (429)",
    script: down(429, 900),
    code: 3,
    status: "provider_error",
    says: /lathe -c/,
  },
  { name: "a server that stays down (500)", script: down(500), code: 3, status: "provider_error", says: /lathe -c/ },
  {
    name: "a connection that breaks in the middle of every answer: half an answer is none",
    script: () => turn.withFault({ kind: "cut", at: { events: 4 } }),
    code: 3,
    status: "provider_error",
    says: /lathe -c/,
  },
  {
    name: "no credential",
    env: { ANTHROPIC_API_KEY: "" },
    code: 3,
    status: "provider_error",
    says: /ANTHROPIC_API_KEY.*lathe login/,
  },
  {
    name: "a call that nobody could be asked about",
    script: [shell("X=1 touch made"), turn.text("I could not run it.")],
    code: 4,
    status: "denied",
    text: "I could not run it.",
    says: /shell.*--permission-mode full/,
    denied: ["shell"],
  },
  {
    name: "a call that the mode itself denies",
    script: [shell("X=1 touch made"), turn.text("Only looked.")],
    args: ["--permission-mode", "read-only"],
    code: 0,
    status: "done",
    text: "Only looked.",
  },
  {
    name: "a call that plan mode denies",
    script: [shell("X=1 touch made"), turn.text("A plan.")],
    args: ["--permission-mode", "plan"],
    code: 0,
    status: "done",
    text: "A plan.",
  },
  {
    name: "a question",
    script: [
      turn.calls([
        {
          name: "ask_user",
          args: { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] },
        },
      ]),
    ],
    code: 6,
    status: "question",
    text: "Which?\n  1. a\n  2. b",
    says: /lathe -c/,
  },
];

describe.each(["text", "json"])("MO-03 MO-04 HD-04 D-088 in %s mode", (mode) => {
  it.concurrent.each(CAUSES)("$name ends with code $code", async (cause) => {
    const scene = await stage(cause.script ?? []);
    try {
      const given = cause.env ? { env: cause.env } : {};
      const { code, stdout, stderr } = await scene.run(["--mode", mode, ...(cause.args ?? []), "do it"], given);
      expect({ code, stderr }).toEqual({ code: cause.code, stderr: expect.stringMatching(cause.says ?? /^$/) });
      expect(stderr).not.toMatch(/\n\s+at /);
      if (mode === "text") {
        expect(stdout).toBe(cause.text === undefined ? "" : `${cause.text}\n`);
        const retries = errorLines(stderr).filter((line) => line.includes("trying again in"));
        expect(errorLines(stderr).length - retries.length).toBe(cause.says ? 1 : 0);
        return;
      }
      const result = jsonLines(stdout).at(-1);
      expect(await violationOf(await publishedSchema("result"), result as never)).toBeUndefined();
      expect(result).toMatchObject({ type: "result", status: cause.status, exitCode: cause.code });
      expect(result?.["text"]).toBe(cause.text ?? "");
      expect(cause.code === 0 ? undefined : result?.["error"]).toEqual(cause.says && expect.stringMatching(cause.says));
      const denied = result?.["denied"] as { tool: string }[];
      expect(denied.map(({ tool }) => tool)).toEqual(cause.denied ?? []);
    } finally {
      await scene.close();
    }
  });

  it.concurrent("a refused connection ends with code 3", async () => {
    const scene = await stage([]);
    try {
      const url = `http://127.0.0.1:${await freePort()}`;
      const { code, stderr } = await scene.run(["--mode", mode, "go"], { env: { ANTHROPIC_BASE_URL: url } });
      expect({ code, last: errorLines(stderr).at(-1) }).toEqual({
        code: 3,
        last: expect.stringMatching(/Check the connection/),
      });
    } finally {
      await scene.close();
    }
  });
});

it("a denied call gets an error result and the run goes on", async () => {
  const scene = await stage([shell("X=1 touch made"), turn.text("ok")]);
  try {
    await scene.run(["go"]);
    expect(scene.server.requests[1]?.view.messages.at(-1)?.results).toEqual([
      { id: "toolu_1", text: expect.stringContaining("no user can be asked"), isError: true },
    ]);
  } finally {
    await scene.close();
  }
});

it.each([
  ["auto-edit", ["../elsewhere.txt"], "--add-dir <dir>"],
  ["ask", ["here.txt"], "--permission-mode auto-edit"],
  ["ask", ["here.txt", undefined], "--permission-mode full"],
])("in mode %s, denied %j, the least that would allow it is named", async (mode, files, way) => {
  const calls = files.map((file_path) =>
    file_path === undefined
      ? { name: "shell", args: { command: "X=1 env true" } }
      : { name: "write_file", args: { file_path, content: "x" } },
  );
  const scene = await stage([turn.calls(calls), turn.text("ok")]);
  try {
    const { code, stderr } = await scene.run(["--permission-mode", mode, "go"]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`Allow it with: ${way}\n`) });
  } finally {
    await scene.close();
  }
});

it("LS-11 retries are shown on stderr, eight lines for eight, whatever the provider says, then the answer is alone on stdout", async () => {
  const scene = await stage([
    ...Array.from({ length: 8 }, () => turn.error(529, { message: "busy\n  at the gate" })),
    turn.text("at last"),
  ]);
  try {
    const { code, stdout, stderr } = await scene.run(["go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "at last\n" });
    expect(errorLines(stderr).filter((line) => /^lathe: .*busy at the gate; trying again in/.test(line))).toHaveLength(
      8,
    );
    expect(scene.server.requests).toHaveLength(9);
  } finally {
    await scene.close();
  }
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
