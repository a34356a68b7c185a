// How often everyday runs ask the user: at most twice, and each time the answer can be remembered.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../../agent/test/programs.ts";
import type { ApprovalQuestion, ApprovalReply } from "../../src/conversation/approvals.ts";
import { conversation, type Talk } from "../conversation-kit.ts";
import { EVERYDAY_RUNS, type RunStep } from "./everyday-runs.ts";

const HAS_SANDBOX = has("bwrap", "nsenter");

let talk: Talk | undefined;
afterEach(async () => {
  await talk?.talk.close();
  await talk?.server.close();
  talk = undefined;
});

const SCRIPTS = { test: "node test/sum.test.js", lint: "node -e 0", build: "mkdir -p dist && echo 1 > dist/out.js" };

/** Made once; each run has a copy. */
let template: string | undefined;

function copyProject(root: string): void {
  template ??= makeProject(mkdtempSync(join(tmpdir(), "lathe-everyday-")));
  cpSync(template, root, { recursive: true });
  const config = join(root, ".git/config");
  writeFileSync(config, readFileSync(config, "utf8").replaceAll(template, root));
}

function makeProject(root: string): string {
  const git = (...args: string[]): void => void execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  for (const folder of ["src", "test"]) mkdirSync(join(root, folder));
  const put = (name: string, text: string): void => writeFileSync(join(root, name), text);
  put(".gitignore", ".lathe-home\n.remote\n");
  put("README.md", "# sample\n");
  put("package.json", `${JSON.stringify({ name: "sample", version: "1.0.0", type: "module", scripts: SCRIPTS })}\n`);
  put("src/sum.js", "export const sum = (a, b) => a + b;\n");
  put("test/sum.test.js", "import { test } from 'node:test';\ntest('sum', () => {});\n");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", "--template=", join(root, ".remote")]);
  git("init", "-q", "-b", "main", "--template=");
  git("config", "user.email", "someone@example.com");
  git("config", "user.name", "Someone");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  git("remote", "add", "origin", join(root, ".remote"));
  git("push", "-q", "origin", "main");
  return root;
}

const callOf = (step: RunStep) => (typeof step === "string" ? { name: "shell", args: { command: step } } : step);

/** Does a run with a user who allows everything, and returns what was asked. */
async function askedIn(steps: readonly RunStep[], settings: Record<string, unknown>): Promise<ApprovalQuestion[]> {
  const asked: ApprovalQuestion[] = [];
  const approve = async (question: ApprovalQuestion): Promise<ApprovalReply> => {
    asked.push(question);
    return { decision: "allow", by: "user", remember: "pattern" };
  };
  talk = await conversation(settings, { parts: { person: { approve } } });
  copyProject(talk.root);
  talk.server.push(...steps.map((step) => turn.calls([callOf(step)])), turn.text("done"));
  await talk.talk.submit("go");
  expect(talk.talk.session.lastText()).toBe("done");
  return asked;
}

const isLong = process.env["LATHE_LONG"] !== undefined;
/** The gate tries these in the sandbox and the others outside; a long run tries all of them in both. */
const isForSandbox = (_run: unknown, at: number): boolean => at % 4 === 0;
/** The gate leaves out what consists of commands that another run has. */
const REPEATS = ["add a feature with its test"];
const outside = EVERYDAY_RUNS.filter(
  (run, at) => isLong || !(REPEATS.includes(run.title) || (HAS_SANDBOX && isForSandbox(run, at))),
);

it.each(outside)("$title: at most two questions in auto-edit, each with a pattern to remember", async ({ steps }) => {
  const asked = await askedIn(steps, {});
  const questions = asked.map(({ summary, reason, offers }) => ({ summary, reason, pattern: offers.pattern }));
  expect(questions.filter(({ pattern }) => pattern === undefined)).toEqual([]);
  expect(questions.length, JSON.stringify(questions)).toBeLessThanOrEqual(2);
});

describe.skipIf(!HAS_SANDBOX)("in the sandbox (needs bwrap, nsenter)", () => {
  const runs = EVERYDAY_RUNS.filter((run, at) => isLong || isForSandbox(run, at));
  it.each(runs)("$title: no question", async ({ steps }) => {
    const asked = await askedIn(steps, { "sandbox.enabled": true });
    expect(asked.map(({ summary, reason }) => ({ summary, reason }))).toEqual([]);
  });
});
