import { expect, it } from "vitest";
import type { AgentReport } from "../../../contract/subagents.ts";
import { factsOf } from "./records.ts";

const ended = (output: string): AgentReport => ({
  agentId: "A",
  status: "completed",
  state: "idle",
  output,
  turnsUsed: 1,
});
const record = (output: string) => {
  const { details } = factsOf({ started: [ended(output)], failed: [], isReported: true });
  return (details as unknown as { agents: [{ output: string; truncated: boolean; outputPath: string }] }).agents[0];
};

it("SA-01 G-76 a record holds 500,000 bytes or 5,000 lines of an output, says so, and names where all of it is", () => {
  expect(record("short")).toMatchObject({ output: "short", truncated: false, outputPath: "agent://A" });
  const lines = record("line\n".repeat(6_000));
  expect([lines.output.split("\n").length, lines.truncated]).toEqual([5_000, true]);
  const bytes = record("é".repeat(400_000));
  expect([Buffer.byteLength(bytes.output), bytes.truncated, bytes.output.includes("\ufffd")]).toEqual([
    500_000,
    true,
    false,
  ]);
  const odd = record(`x${"é".repeat(400_000)}`);
  expect([Buffer.byteLength(odd.output), odd.output.includes("\ufffd")]).toEqual([499_999, false]);
});

it("SA-01 G-76 a record says what went wrong, and where what did not land is", () => {
  const work = { patchPath: "/s/A.patch", nestedPatches: [{ path: "vendor/x", patchPath: "/s/A.nested-1.patch" }] };
  const failed: AgentReport = {
    ...ended("overloaded\nline 2\nline 3"),
    status: "failed",
    stderr: "overloaded; trying again",
    retryFailure: { attempts: 3, message: "overloaded" },
    outputPath: "/s/A.md",
    work,
  };
  const { details } = factsOf({ started: [failed], failed: [], isReported: true }, { lines: 2 });
  expect(details).toMatchObject({
    agents: [
      {
        exitCode: 1,
        error: "overloaded",
        output: "overloaded\nline 2",
        truncated: true,
        stderr: "overloaded; trying again",
        retryFailure: { attempts: 3, message: "overloaded" },
        outputPath: "/s/A.md",
        ...work,
      },
    ],
    outputPaths: ["/s/A.md"],
  });
});
