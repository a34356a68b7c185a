// A hostile model against a real session over a real tree, in every permission mode, with the tools of every profile.
// What was written is checked in the files, not by asking the session.

import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type FamilyName, FileBlobs, FileStore, Journal, LocalEnvironment, type SessionEvent } from "@lathe/agent";
import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import { WrappedEnvironment, type WriteOptions } from "@lathe/agent/world";
import { defaultDeps, type ToolDefinition } from "@lathe/llm";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../src/conversation/approvals.ts";
import { openSession } from "../../src/conversation/open-session.ts";
import type { OpenSession } from "../../src/conversation/session-contract.ts";
import { approvalText } from "../../src/hosts/interactive/plain/approval-text.ts";
import { Run } from "../../src/hosts/run.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";
import { newJournal } from "../../src/sessions/journals/journal-files.ts";
import { type Chance, mustEnd, rounds } from "./chance.ts";
import { type HostileCall, hostileCall } from "./hostile-calls.ts";
import { hostileModel, PROMPT } from "./hostile-model.ts";
import { changedFiles, type HostileTree, hostileTree, needsQuestion, type Snapshot, snapshot } from "./hostile-tree.ts";
import { ACTS_ON_TERMINAL } from "./hostile-values.ts";

const CALLS_IN_A_SESSION = process.env["LATHE_LONG"] === undefined ? 10 : 20;

interface Kit {
  readonly profile: FamilyName;
  readonly settings: Readonly<Record<string, string>>;
}

const KITS: readonly Kit[] = (["anthropic", "openai", "gemini", "minimal"] as const).flatMap((profile) => [
  { profile, settings: {} },
  ...["replace", "patch", "apply_patch", "hashline"].map((editVariant) => ({ profile, settings: { editVariant } })),
]);

/** Whatever the session believes: nothing on this machine outside the tree is ever written. */
class Fence extends WrappedEnvironment {
  readonly #root: string;

  constructor(inner: LocalEnvironment, root: string) {
    super(inner);
    this.#root = root;
  }
  #check(path: string): void {
    if (!this.resolve(path).startsWith(`${this.#root}/`)) throw new Error(`the test left its tree: ${path}`);
  }
  override writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    this.#check(path);
    return super.writeFile(path, content, options);
  }
  override deleteFile(path: string): Promise<void> {
    this.#check(path);
    return super.deleteFile(path);
  }
  override moveFile(from: string, to: string): Promise<void> {
    this.#check(from);
    this.#check(to);
    return super.moveFile(from, to);
  }
}

let tree: HostileTree;
beforeAll(() => {
  tree = hostileTree();
});
afterAll(() => tree.remove());

function machineOf(): Machine {
  return {
    env: { PATH: process.env["PATH"], LATHE_HOME: tree.latheHome, HOME: tree.home },
    cwd: tree.project,
    userHome: tree.home,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    terminal: process.stdout,
  };
}

interface Attack {
  readonly kit: Kit;
  readonly mode: PermissionMode;
  readonly steps: readonly (readonly HostileCall[])[];
  /** Whether the user allows this question. */
  readonly allows: () => boolean;
}

interface Asked {
  readonly question: ApprovalQuestion;
  readonly allowed: boolean;
}

async function attack({ kit, mode, steps, allows }: Attack): Promise<readonly ToolDefinition[]> {
  const settings = Object.entries(kit.settings).map(([key, value]) => `${key}: ${value}\n`);
  writeFileSync(join(tree.latheHome, "config.yml"), settings.join(""));
  const workspace = await new Run(machineOf()).open({ "permission-mode": mode });
  const opened = newJournal(workspace);
  const events: SessionEvent[] = [];
  let tools: readonly ToolDefinition[] = [];
  let before: Snapshot = snapshot(tree);
  let asked: Asked[] = [];
  const problems: string[] = [];
  const checkStep = (step: number): void => {
    const after = snapshot(tree);
    problems.push(...forbidden(changedFiles(before, after), mode, asked).map((what) => `step ${step}: ${what}`));
    before = after;
    asked = [];
  };
  const open: OpenSession = await openSession(workspace, {
    model: { provider: "scripted", id: "none" },
    adapter: hostileModel(steps, (step, request) => {
      tools = request.tools ?? [];
      checkStep(step - 1);
    }),
    opened,
    profile: kit.profile,
    limits: {},
    environment: () => new Fence(new LocalEnvironment({ cwd: tree.project, baseEnv: workspace.env }), tree.root),
    person: { approve: async () => undefined },
    onEvent: (event) => {
      events.push(event);
      const inner = event.kind === "subagent_event" ? event.data.event : event;
      if (inner.kind !== "approval_request") return;
      const allowed = allows();
      asked.push({ question: { ...inner.data, offers: { tool: true } }, allowed });
      const reply = { decision: allowed ? ("allow" as const) : ("deny" as const), by: "test" };
      queueMicrotask(() => open.session.answerApproval(inner.data.call_id, reply, inner.agent_id));
    },
  });
  // A question to the user ends an input, so the attack continues in another one.
  for (let inputs = 0; inputs <= steps.length && open.session.lastText() !== "done"; inputs++)
    await mustEnd(60_000, "the input", open.session.submit(PROMPT));
  checkStep(steps.length);
  await mustEnd(60_000, "closing the session", open.close());
  problems.push(...events.flatMap(unfit), ...events.flatMap(failures));
  expect([problems, open.session.lastText()]).toEqual([[], "done"]);
  expectOneResultEach(events, steps.flat());
  const blobs = new FileBlobs(workspace.paths.blobs, "test");
  const read = Journal.open(new FileStore(opened.path!), { blobs, now: () => 0, newId: () => "new" });
  expect(read.losses).toEqual([]);
  // The context may have been compacted; the journal has everything.
  expect([...read.entryIds()].length).toBeGreaterThan(steps.flat().length);
  return tools;
}

/** Changes that the mode does not allow, and changes to sensitive files without asking. */
function forbidden(changed: readonly string[], mode: PermissionMode, asked: readonly Asked[]): readonly string[] {
  if (mode === "full") return asked.map(({ question }) => `${question.tool_name} was asked about`);
  if (mode === "read-only" || mode === "plan") return changed;
  const allowed = asked.filter((item) => item.allowed).flatMap(({ question }) => question.access ?? []);
  const written = new Set(allowed.flatMap((item) => (item.kind === "write" ? [item.path] : [])));
  const unasked = changed.filter((path) => !written.has(path));
  return unasked.filter((path) => mode === "ask" || needsQuestion(path, tree));
}

const failures = (event: SessionEvent): string[] => (event.kind === "error" ? [event.data.message] : []);

function expectOneResultEach(events: readonly SessionEvent[], calls: readonly HostileCall[]): void {
  const ended = events.flatMap((event) => (event.kind === "tool_call_end" ? [event.data.call_id] : []));
  expect(ended.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
}

/** Returns what is wrong if a question leaves something out, or contains anything that acts on the terminal. */
function unfit(event: SessionEvent): string[] {
  if (event.kind === "subagent_event") return unfit(event.data.event);
  if (event.kind !== "approval_request") return [];
  const { data } = event;
  const { above, rest, question } = approvalText({ ...data, offers: { tool: true } }, "", 100_000);
  const shown = [...above, ...rest].map(({ text }) => text);
  const acting = [...shown, question, data.summary, data.reason ?? ""].filter((line) => ACTS_ON_TERMINAL.test(line));
  const text = [...shown, question].join("\n");
  const missing = Object.entries(data.arguments).filter(
    ([name, value]) => !text.includes(`${name}:`) && !wordsOf(value).every((word) => text.includes(word)),
  );
  return [
    ...acting.map((line) => `a question about ${data.tool_name} acts on the terminal: ${JSON.stringify(line)}`),
    ...missing.map(([name]) => `a question about ${data.tool_name} does not show ${name}: ${text}`),
  ];
}

/** What the user must be able to read of an argument. A patch is shown by its effects: its keywords need not appear. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(wordsOf);
  if (typeof value !== "string") return [];
  const isPatch = /^(\*\*\* Begin|--- |¶)/.test(value);
  const lines = value.split("\n").filter((line) => !isPatch || /^[+-](?![+-])/.test(line));
  return lines.join("\n").match(/[a-z0-9]{2,}/gi) ?? [];
}

function steps(chance: Chance, tools: readonly ToolDefinition[]): HostileCall[][] {
  const made: HostileCall[][] = [];
  for (let count = 0; count < CALLS_IN_A_SESSION; ) {
    const size = Math.min(CALLS_IN_A_SESSION - count, chance.pick([1, 1, 1, 2, 3]));
    made.push(Array.from({ length: size }, () => hostileCall(chance, tree, tools, `call_${count++}`)));
  }
  return made;
}

it("D3 a hostile model writes nothing unasked, hides nothing in a question and ends no session", async () => {
  const toolsOf = new Map<Kit, readonly ToolDefinition[]>();
  const count = { few: 7, many: 10_000 / CALLS_IN_A_SESSION };
  await rounds(`hostile calls, ${CALLS_IN_A_SESSION} in a round`, count, async (chance, round) => {
    // A few rounds do not cover every profile and variant; one round per kit does.
    const kit = KITS[(round * 7) % KITS.length]!;
    const plain = { kit, mode: "plan", steps: [], allows: () => false } as const;
    const tools = toolsOf.get(kit) ?? (await attack(plain));
    toolsOf.set(kit, tools);
    tree.restore();
    const mode = chance.pick<PermissionMode>([...PERMISSION_MODES, "ask", "auto-edit", "auto-edit"]);
    await attack({ kit, mode, steps: steps(chance, tools), allows: () => chance.percent(50) });
  });
}, 1_800_000);
