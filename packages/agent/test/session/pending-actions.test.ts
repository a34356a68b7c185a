import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Middleware } from "../../src/contract/seams/types.ts";
import { PlanChanged, type ToolDef } from "../../src/contract/tool.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { agentProfile, batch, cast, firstText, types, yields } from "../support/agents.ts";
import { resultText } from "../support/scripted-client.ts";
import { echo, type Setup, setUp, testProfile, tool } from "../support/session.ts";

const resolve = (action: string, reason = "because") => ({
  calls: [{ name: "resolve", args: { action, reason }, id: "r" }],
});
const preview = { calls: [{ name: "rename", id: "p" }] };

function start(script: Parameters<typeof setUp>[0]["script"], canForce = true, middleware: Middleware[] = []) {
  const done: string[] = [];
  const rename = tool(
    "rename",
    (_args, { services }) => {
      services.pendingActions?.push({
        label: "rename 3 files",
        tier: "read",
        sourceToolName: "rename",
        apply: (reason) => {
          done.push(`applied: ${reason}`);
          return "Renamed 3 files.";
        },
        reject: (reason) => {
          done.push(`rejected: ${reason}`);
          return undefined;
        },
      });
      return "Would rename 3 files.";
    },
    { deferrable: true },
  );
  const outer = tool("outer", async (_args, { call }) => {
    await call("rename", {});
    await call("resolve", { action: "apply", reason: "inside" });
    return "both made";
  });
  const modelInfo = { refusesForcedTools: !canForce } as never;
  const s = setUp({ profile: testProfile([rename, outer, echo], { modelInfo }), script, middleware });
  const choice = (n: number) => s.client.requests[n]?.toolChoice;
  return { s, done, choice };
}

it("T-RES-1 G-72 nothing is done before resolve; the next request forces it, and a second resolve finds nothing", async () => {
  const { s, done, choice } = start([preview, resolve("apply", "looks right"), resolve("apply"), { text: "done" }]);
  await s.session.submit("go");
  expect(resultText(s.client.requests[1]!, "p")).toContain("Pending: rename 3 files. Call `resolve` next");
  expect(choice(1)).toEqual({ mode: "named", toolName: "resolve" });
  expect(done).toEqual(["applied: looks right"]);
  expect(choice(2)).toEqual({ mode: "auto" });
  expect(JSON.stringify(s.client.requests[3]?.messages.at(-1))).toContain("No pending action to resolve.");
  await s.finish();
});

it("T-RES-1 G-72 a plain answer, or another call, does not get past it: it is forced again and nothing else runs", async () => {
  const { s, done, choice } = start([
    preview,
    { text: "I am done." },
    { calls: [{ name: "echo", id: "e" }] },
    resolve("discard", "not wanted"),
    { text: "dropped" },
  ]);
  await s.session.submit("go");
  expect(choice(2)).toEqual({ mode: "named", toolName: "resolve" });
  expect(resultText(s.client.requests[3]!, "e")).toMatch(/^Not run\. Nothing has been changed yet/);
  expect(choice(3)).toEqual({ mode: "named", toolName: "resolve" });
  expect(done).toEqual(["rejected: not wanted"]);
  expect(resultText(s.client.requests[4]!, "r")).toBe("Discarded: rename 3 files. Reason: not wanted");
  await s.finish();
});

it("T-RES-1 where the model refuses a forced choice, the guard alone holds; one that never resolves is let go", async () => {
  const { s, done, choice } = start([preview, ...Array.from({ length: 4 }, () => ({ text: "I am done." }))], false);
  await s.session.submit("go");
  expect([1, 2, 3, 4].map(choice)).toEqual(Array(4).fill({ mode: "auto" }));
  expect(s.client.requests).toHaveLength(5);
  expect(done).toEqual(["rejected: The input ended before it was applied."]);
  await s.finish();
});

it("T-RES-1 G-72 what an input leaves pending is dropped with it: the next one runs its calls, is not reminded, and applies nothing", async () => {
  const texts = Array.from({ length: 4 }, () => ({ text: "I am done." }));
  const { s, done, choice } = start([
    ...[preview, ...texts],
    ...[{ calls: [{ name: "echo", id: "e" }] }, resolve("apply"), { text: "end" }],
  ]);
  await s.session.submit("go");
  expect(done).toEqual(["rejected: The input ended before it was applied."]);
  await s.session.submit("something else");
  expect(s.client.requests).toHaveLength(8);
  expect([5, 6, 7].map(choice)).toEqual(Array(3).fill({ mode: "auto" }));
  expect(resultText(s.client.requests[6]!, "e")).not.toContain("Not run");
  expect(resultText(s.client.requests[7]!, "r")).toContain("No pending action to resolve.");
  await s.finish();
});

it("T-RES-1 G-72 what was denied is dropped, and the model goes on with other calls", async () => {
  const deny: Middleware = {
    name: "denies",
    approve: ({ tool: { name } }) => (name === "resolve" ? { decision: "deny", reason: "no" } : undefined),
  };
  const script = [preview, resolve("apply"), { calls: [{ name: "echo", id: "e" }] }, resolve("apply"), { text: "end" }];
  const { s, done, choice } = start(script, true, [deny]);
  await s.session.submit("go");
  expect(resultText(s.client.requests[2]!, "r")).toContain("Denied by denies: no");
  expect(choice(2)).toEqual({ mode: "auto" });
  expect(resultText(s.client.requests[3]!, "e")).not.toContain("Not run");
  expect(done).toEqual(["rejected: Applying it was denied."]);
  expect(s.client.requests).toHaveLength(5);
  await s.finish();
});

it("T-RES-1 G-72 a call that prepares and settles an action itself leaves nothing to be told", async () => {
  const { s, done, choice } = start([{ calls: [{ name: "outer", id: "o" }] }, { text: "end" }]);
  await s.session.submit("go");
  expect(resultText(s.client.requests[1]!, "o")).toBe("both made");
  expect(choice(1)).toEqual({ mode: "auto" });
  expect(done).toEqual(["applied: inside"]);
  await s.finish();
});

/** Prepares a new text of a.txt, with what it writes and the change itself. */
const staged = (path: string): ToolDef =>
  tool(
    "stage",
    (_args, { services }) => {
      services.pendingActions?.push({
        label: "change a.txt",
        tier: "write",
        sourceToolName: "stage",
        access: () => [{ kind: "write", path }],
        preview: async ({ env }) => {
          const before = Buffer.from(await env.readBytes(path)).toString();
          const lines = [
            { text: `- ${before}`, kind: "removed" as const },
            { text: "+ new", kind: "added" as const },
          ];
          return { lines, shows: [], plan: before };
        },
        apply: async (reason, { env, approvedPlan }) => {
          if (Buffer.from(await env.readBytes(path)).toString() !== approvedPlan) throw new PlanChanged();
          await env.writeFile(path, "new");
          const beyond = await env.writeFile(`${path}.other`, "x").catch((error: Error) => error.message);
          return `Changed it: ${reason}. ${beyond}`;
        },
      });
      return "Would change a.txt.";
    },
    { deferrable: true },
  );

it("T-RES-1 G-72 applying is judged as what it writes, its question shows the change, and it can write nothing else; a file that changes meanwhile is asked about again", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-pending-")));
  const path = join(folder, "a.txt");
  writeFileSync(path, "old");
  const s: Setup = setUp({
    script: [{ calls: [{ name: "stage", id: "p" }] }, resolve("apply", "looks right"), { text: "done" }],
    profile: testProfile([staged(path)]),
    env: new LocalEnvironment({ cwd: folder, baseEnv: {} }),
    middleware: [{ name: "asks", approve: ({ tier }) => (tier === "read" ? undefined : { decision: "ask" }) }],
    onEvent: (event) => {
      if (event.kind !== "approval_request") return;
      if (s.of("approval_request").length === 0 && readFileSync(path, "utf8") === "old") writeFileSync(path, "older");
      s.session.answerApproval(event.data.call_id, { decision: "allow", by: "user" });
    },
  });
  await s.session.submit("go");
  await s.finish();
  const questions = s.of("approval_request").map(({ data }) => data);
  expect(questions.map(({ tier, access }) => ({ tier, access }))).toEqual(
    Array(2).fill({ tier: "write", access: [{ kind: "write", path }] }),
  );
  expect(questions.map(({ preview: lines }) => lines.map(({ text }) => text))).toEqual([
    ["apply: change a.txt", "- old", "+ new", "reason: looks right"],
    ["apply: change a.txt", "- older", "+ new", "reason: looks right"],
  ]);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(resultText(s.client.requests[2]!, "r")).toMatch(
    /^Changed it: looks right\. .*a\.txt\.other\. The call did not declare that it would write this file\.$/,
  );
});

it("G-72 an action that does not say what it touches is a question, as a tool that does not say so is", async () => {
  const stage = tool(
    "stage",
    (_args, { services }) => {
      services.pendingActions?.push({ label: "do it", sourceToolName: "stage", apply: () => "done" });
      return "Would do it.";
    },
    { deferrable: true },
  );
  const asked: unknown[] = [];
  const s = setUp({
    script: [{ calls: [{ name: "stage", id: "p" }] }, resolve("apply"), { text: "done" }],
    profile: testProfile([stage]),
    middleware: [{ name: "looks", approve: ({ tier, access }) => void asked.push([tier, access]) }],
  });
  await s.session.submit("go");
  await s.finish();
  expect(asked).toEqual([
    ["read", undefined],
    ["exec", undefined],
  ]);
});

it("T-RES-1 an agent settles what it prepared itself, and the session is not held up by it", async () => {
  const applied: string[] = [];
  const stage = tool(
    "stage",
    ({ who }, { services }) => {
      const apply = (): string => `done ${applied.push(String(who))}`;
      services.pendingActions?.push({ label: `work of ${who}`, tier: "read", sourceToolName: "stage", apply });
      return "Would do it.";
    },
    { deferrable: true },
  );
  const stages = (who: string) => ({ calls: [{ name: "stage", id: `p${who}`, args: { who } }] });
  const s = setUp({
    profile: agentProfile([stage]),
    subagents: { types },
    config: { maxSubagentDepth: 2 },
    script: cast({
      "go on": [batch([{ id: "A", assignment: "look" }]), stages("main"), resolve("apply"), { text: "done" }],
      assignment: [stages("child"), { calls: [{ name: "echo", id: "e" }] }, resolve("apply"), yields("ready")],
    }),
  });
  await s.session.submit("go on");
  await s.finish();
  expect(applied.toSorted()).toEqual(["child", "main"]);
  const child = s.client.requests.filter((request) => firstText(request).startsWith("You are "));
  expect(child[1]?.toolChoice).toEqual({ mode: "named", toolName: "resolve" });
  expect(resultText(child[2]!, "e")).toContain("Pending: work of child.");
  const main = s.client.requests.filter((request) => firstText(request) === "go on");
  expect(main.map(({ toolChoice }) => toolChoice?.mode)).toEqual(["auto", "auto", "named", "auto"]);
  expect(main[0]?.tools?.map(({ name }) => name)).toContain("resolve");
});
