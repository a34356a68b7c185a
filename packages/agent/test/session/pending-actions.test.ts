import { expect, it } from "vitest";
import type { Session } from "../../src/session/session.ts";
import { PendingActions } from "../../src/tools/pending-actions/pending-actions.ts";
import { resultText } from "../support/scripted-client.ts";
import { echo, setUp, testProfile, tool } from "../support/session.ts";

const resolve = (action: string, reason = "because") => ({
  calls: [{ name: "resolve", args: { action, reason }, id: "r" }],
});
const preview = { calls: [{ name: "rename", id: "p" }] };

function start(script: Parameters<typeof setUp>[0]["script"], canForce = true) {
  const done: string[] = [];
  const held: { session?: Session } = {};
  const pending = new PendingActions({
    isOffered: () => true,
    force: (choice) => {
      if (canForce) held.session?.forceToolChoice(choice);
    },
  });
  const rename = tool("rename", (_args, { services }) => {
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
  });
  const s = setUp({
    profile: testProfile([rename, echo]),
    toolProviders: [pending],
    middleware: [pending.middleware()],
    services: { pendingActions: pending },
    script,
  });
  held.session = s.session;
  const choice = (n: number) => s.client.requests[n]?.toolChoice;
  return { s, done, choice };
}

it("T-RES-1 G-72 nothing is done before resolve; the next request forces it, and a second resolve finds nothing", async () => {
  const { s, done, choice } = start([preview, resolve("apply", "looks right"), resolve("apply"), { text: "done" }]);
  await s.session.submit("go");
  expect(resultText(s.client.requests[1]!, "p")).toContain("rename 3 files is pending. Call `resolve` next");
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
  expect(done).toEqual([]);
  await s.finish();
});
