import { expect, it } from "vitest";
import type { BackgroundCommand, ExecResult } from "../../world/env/types.ts";
import { Jobs } from "./jobs.ts";

function command(text: string): BackgroundCommand & { end(): void } {
  let running = true;
  let end = (_: ExecResult): void => {};
  const done = new Promise<ExecResult>((resolve) => {
    end = resolve;
  });
  return {
    command: text,
    done,
    get running() {
      return running;
    },
    read: () => ({ text, next: text.length, missed: 0 }),
    stop: async () => {},
    end: () => {
      running = false;
      end({} as ExecResult);
    },
  };
}

it("EE-02 jobs that have ended do not pile up; numbers are never given twice and running ones stay", () => {
  const jobs = new Jobs();
  const first = jobs.start("server", command);
  for (let n = 0; n < 100; n++) (jobs.start(`job ${n}`, command).handle as ReturnType<typeof command>).end();
  expect(jobs.list().length).toBeLessThan(25);
  expect(jobs.get(1)).toBe(first);
  expect(jobs.get(101).handle.command).toBe("job 99");
  expect(() => jobs.get(2)).toThrow("Job 2 has ended; its output is no longer kept.");
  expect(() => jobs.get(102)).toThrow("There is no job 102. Known jobs: 1, 81, ");
  expect(() => new Jobs().get(1)).toThrow("none has been started");
});
