import { expect, it } from "vitest";
import { Gate } from "./gate.ts";

it("more jobs than may run at once all get their turn, in order, also after one that fails", async () => {
  const gate = new Gate(2);
  const started: number[] = [];
  const running: number[] = [];
  let most = 0;
  const jobs = Array.from({ length: 7 }, (_, job) =>
    gate.run(async () => {
      started.push(job);
      running.push(job);
      most = Math.max(most, running.length);
      await new Promise((resolve) => setImmediate(resolve));
      running.splice(running.indexOf(job), 1);
      if (job === 2) throw new Error("broken");
    }),
  );
  const ends = await Promise.allSettled(jobs);
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect([started, most]).toEqual([[0, 1, 2, 3, 4, 5, 6], 2]);
});
