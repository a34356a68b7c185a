import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { stage } from "./contract-kit.ts";

const ROUNDS = process.env["LATHE_LONG"] ? 30 : 2;

// Two children at once, each with commands of its own: the order in which everything came is what a replay must keep.
it("parallel subagents and parallel calls replay to the same journal, again and again", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const scene = await stage((request) => {
      const { messages } = request.view;
      const task = messages.map(({ text }) => /count (\w+)$/.exec(text)?.[1]).find(Boolean);
      const last = messages.at(-1);
      if (task) {
        if (last?.results.length === 0)
          return turn.calls(
            [1, 2, 3].map((n) => ({
              name: "shell",
              args: { command: `sleep 0.0$((RANDOM % 9)); echo ${task}${n} $RANDOM` },
            })),
          );
        return turn.text(`${task} counted`);
      }
      const ids = messages.flatMap(({ results }) =>
        results.flatMap(({ text }) => /"agent_id":"(\w+)"/.exec(text)?.[1] ?? []),
      );
      if (ids.length === 0)
        return turn.calls(["files", "lines"].map((what) => ({ name: "spawn_agent", args: { task: `count ${what}` } })));
      if (messages.some(({ results }) => results.some(({ text }) => text.includes("counted"))))
        return turn.text("all counted");
      return turn.calls([
        ...ids.map((agent_id) => ({ name: "wait", args: { agent_id } })),
        { name: "shell", args: { command: "head -c 200000 /dev/urandom | base64" } },
      ]);
    });
    try {
      const dir = join(scene.box.home, "rec");
      const r = await scene.run(["--permission-mode", "full", "--record", dir, "go"]);
      expect(r).toMatchObject({ code: 0, stdout: "all counted\n" });
      const again = await scene.box.run(["replay", dir]);
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("identical") });
    } finally {
      await scene.close();
    }
  }
});
