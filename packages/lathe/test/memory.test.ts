// The whole of a run, the command and all that it starts, under 512 MB that the kernel enforces.

import { writeFileSync } from "node:fs";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { makeCommandGroup } from "../../agent/src/process/control-groups.ts";
import { collect } from "./command.ts";
import { stage } from "./contract-kit.ts";

const CHILDREN = 16;
const group = makeCommandGroup({ memoryMb: 512 }, `lathe-test-${process.pid}`);
/** Takes 90 MB, really, for as long as others may need to start. */
const HUNGRY = `python3 -c 'import time; b = bytearray(b"x") * (90 << 20); time.sleep(0.7); print("ate", len(b) >> 20)'`;

describe.skipIf(group === undefined)("G under 512 MB (needs a memory control group that can be written)", () => {
  it("sixteen children that want 90 MB each wait for their turn, and none dies of memory", async () => {
    const scene = await stage((request) => {
      const text = JSON.stringify((request.body as { messages: unknown }).messages);
      if (!text.includes("EAT NOW")) {
        const spawns = Array.from({ length: CHILDREN }, (_, n) => ({
          name: "spawn_agent",
          args: { task: `EAT NOW ${n}`, max_turns: 3 },
        }));
        return turn.calls(spawns);
      }
      if (text.includes("go parent")) {
        const ids = [...new Set(text.match(/(?<=agent_id\\+":\\+")[\w-]+/g))];
        return text.includes('"name":"wait"')
          ? turn.text(`${ids.length} children, ${(text.match(/CHILD FULL/g) ?? []).length} full`)
          : turn.calls(ids.map((agent_id) => ({ name: "wait", args: { agent_id } })));
      }
      const [, seen] = /ate (\d+)/.exec(text) ?? [];
      if (seen !== undefined) return turn.text(`CHILD FULL ${seen}`);
      return text.includes("tool_result")
        ? turn.text(`CHILD DIED`)
        : turn.calls([{ name: "shell", args: { command: HUNGRY } }]);
    });
    try {
      const run = scene.start(["--permission-mode", "full", "go parent"]);
      for (const door of group!.doors) writeFileSync(door, String(run.pid));
      run.stdin.end();
      const { code, stdout, stderr } = await collect(run);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "16 children, 16 full\n", stderr: "" });
      expect(group!.memoryKills()).toBe(0);
    } finally {
      await scene.close();
      group!.remove();
    }
  }, 120_000);
});
