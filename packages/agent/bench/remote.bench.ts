// What a file operation over ssh costs, against a program that is started there for it.

import type { Bench } from "../../../scripts/bench-types.ts";
import { ratio } from "../../../scripts/bench-types.ts";
import { SshEnvironment } from "../src/world/env/ssh.ts";
import { startSshd } from "../test/sshd.ts";

const ROUNDS = 30;

export const benches: Bench[] = [{ name: "stat over ssh over a session of its own", run: stat }];

async function stat() {
  const server = await startSshd();
  const env = new SshEnvironment(server.options("/"));
  try {
    await env.initialize();
    const own: number[] = [];
    const session: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      own.push(await timed(() => env.stat("/etc/passwd")));
      session.push(await timed(() => env.execCommand("stat /etc/passwd", 20_000)));
    }
    return ratio(median(own), median(session), { budget: 0.25, unit: "ms" });
  } finally {
    await env.cleanup();
    server.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}
