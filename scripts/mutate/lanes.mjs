// Runs test files over copies of the project, several at a time. A run over its deadline is killed with everything it
// has started.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const LANE = fileURLToPath(new URL("lane.mjs", import.meta.url));

export class Lane {
  #child;
  #folder;

  constructor(folder) {
    this.#folder = folder;
  }

  get folder() {
    return this.#folder;
  }

  /** `{ passed, reason, ms }`; a run over the deadline counts as failed, as does one whose process dies twice. */
  async run(file, deadlineMs) {
    const first = await this.#attempt(file, deadlineMs);
    return first.died ? this.#attempt(file, deadlineMs) : first;
  }

  async #attempt(file, deadlineMs) {
    await this.#start();
    const started = performance.now();
    const ended = new AbortController();
    const { signal } = ended;
    const waiting = [
      once(this.#child, "message", { signal }).then(([answer]) => answer),
      once(this.#child, "exit", { signal }).then(() => ({
        passed: false,
        reason: "the test process died",
        died: true,
      })),
      sleep(deadlineMs, { passed: false, reason: "did not end", isLate: true }, { signal }),
    ];
    this.#child.send(file, () => {}); // the exit of the process is noticed separately
    const answer = await Promise.race(waiting);
    ended.abort();
    await Promise.allSettled(waiting);
    if (answer.died || answer.isLate) await this.stop();
    return { ...answer, ms: performance.now() - started };
  }

  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    process.kill(-child.pid, "SIGKILL"); // only this lane's process group
    await exited;
  }

  async #start() {
    if (this.#child?.connected) return;
    await this.stop();
    this.#child = fork(LANE, [this.#folder], {
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
    });
    await once(this.#child, "message");
  }
}

/** Gives each job to the next free lane. */
export async function share(lanes, jobs, work) {
  const waiting = [...jobs];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await work(lane, job);
    }),
  );
}
