// What a broker costs at the start of a run whose snapshot is fresh: the same run with a key that is stored on this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 40;
const KEY = "key-0123456789abcdef";

export const benches: readonly Bench[] = [
  {
    name: "start to first request with a fresh broker snapshot over that with a stored key",
    async run() {
      const model = await modelServer();
      const broker = await snapshots();
      const [own, ours] = [home("own"), home("broker")];
      writeFileSync(join(own, ".lathe/auth.json"), JSON.stringify({ openai: { type: "api_key", key: KEY } }), {
        mode: 0o600,
      });
      const start = (folder: string, env: Record<string, string>) => (): Promise<number> =>
        timed(folder, { OPENAI_BASE_URL: model.url, ...env }, model.next());
      const local = start(own, {});
      const behind = start(ours, { LATHE_AUTH_BROKER_URL: broker.url, LATHE_AUTH_BROKER_TOKEN: "token-0123456789" });
      // These write the code cache, and fetch the snapshot.
      for (let round = 0; round < 2; round++) for (const run of [local, behind]) await run();
      const asked = broker.asked();
      const took = { local: [] as number[], behind: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        took.behind.push(await behind());
        took.local.push(await local());
      }
      if (broker.asked() !== asked) throw new Error("The broker was asked although the snapshot is fresh.");
      model.close();
      broker.close();
      for (const folder of [own, ours]) rmSync(folder, { recursive: true });
      return ratio(median(took.behind), median(took.local), { budget: 1.05, unit: "ms" });
    },
  },
];

function home(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `lathe-${name}-`)));
  mkdirSync(join(folder, ".lathe"), { mode: 0o700 });
  return folder;
}

/** As the wire of a broker has it. */
async function snapshots() {
  let asked = 0;
  const credential = { type: "api_key", key: KEY };
  const server = createServer((_request, response) => {
    asked += 1;
    const credentials = [{ provider: "openai", id: "a", name: "work", isRenewable: false, credential }];
    response.end(JSON.stringify({ generatedAt: Date.now(), generation: 1, credentials, disabled: [] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () => server.close(),
  };
}

/** Milliseconds from the start of the process to its first request. */
async function timed(folder: string, extra: Record<string, string>, until: Promise<void>): Promise<number> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, LATHE_HOME: join(folder, ".lathe"), ...extra };
  const begun = performance.now();
  const child = spawn(process.execPath, [CLI, "--model", "openai/gpt-5.2", "-p", "hello"], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  const closed = once(child, "close");
  await until;
  const took = performance.now() - begun;
  await closed;
  return took;
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;
