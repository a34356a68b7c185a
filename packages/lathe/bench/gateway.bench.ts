// What the gateway costs: the wait for the first token and computing, over a proxy that copies bytes and over the least that a gateway
// does (decision 0495), and the memory of open answers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { renderStream, turn } from "@lathe/testkit";
import { type Bench, type BenchResult, ratio } from "../../../scripts/bench-types.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const PROXY = fileURLToPath(new URL("./plain-proxy.cjs", import.meta.url));
const BARE = fileURLToPath(new URL("./bare-gateway.cjs", import.meta.url));
const DELTAS = 20_000;
/** A gateway runs for weeks: the rounds in which its code is compiled are not counted. */
const WARM_ROUNDS = 1500;
const ROUNDS = 300;
const WARM_ANSWERS = 3;
const ANSWERS = 15;

const usage = { input: 10, output: 10 };

export const benches: Bench[] = [
  {
    name: "gateway: time to the first token over a bare gateway",
    run: () =>
      compared(renderStream(turn.text("A short answer.", { usage }), "chat"), async ({ ours, bare, plain }) => {
        const took = new Map([ours, bare, plain].map((server) => [server, [] as number[]]));
        for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++)
          for (const [server, times] of took) {
            const time = await firstByte(server);
            if (round >= WARM_ROUNDS) times.push(time);
          }
        const [own, least, copied] = [...took.values()].map(median) as [number, number, number];
        return also(ratio(own, least, { budget: 2.5, unit: "ms" }), own / copied, "a proxy that copies bytes");
      }),
  },
  {
    name: `gateway: CPU of ${DELTAS} deltas over a proxy that copies bytes`,
    run: () =>
      compared(
        renderStream(turn.text("word ".repeat(DELTAS), { deltaChars: 5, usage }), "chat"),
        async ({ ours, bare, plain }) => {
          const cpu = async (server: Served): Promise<number> => {
            for (let answer = 0; answer < WARM_ANSWERS; answer++) await whole(server);
            const before = cpuMs(server.child);
            for (let answer = 0; answer < ANSWERS; answer++) await whole(server);
            return (cpuMs(server.child) - before) / ANSWERS;
          };
          const [own, least, copied] = [await cpu(ours), await cpu(bare), await cpu(plain)];
          return also(ratio(own, copied, { budget: 4, unit: "ms" }), own / least, "a bare gateway");
        },
      ),
  },
  {
    name: "gateway: memory of 500 open streams over that of 50",
    async run() {
      const megabytes = (streams: number): Promise<number> =>
        compared(undefined, async ({ ours }) => {
          const open = Array.from({ length: streams }, () => begun(ours));
          for (const response of await Promise.all(open)) await once(response, "data");
          return residentBytes(ours.child) / 2 ** 20;
        });
      const few = await megabytes(50);
      const many = await megabytes(500);
      return { value: many / few, unit: "x", budget: 3, note: `${many.toFixed(1)} MB against ${few.toFixed(1)} MB` };
    },
  },
];

const also = (result: BenchResult, value: number, over: string): BenchResult => ({
  ...result,
  note: `${result.note}; ${value.toFixed(2)} x ${over}`,
});

interface Served {
  readonly url: string;
  readonly key: string;
  readonly child: ChildProcess;
  readonly agent: Agent;
}

interface Servers {
  readonly ours: Served;
  readonly bare: Served;
  readonly plain: Served;
}

/** The gateway, the bare one and the proxy before the same server. `answer`: undefined for one that begins and never ends. */
async function compared<T>(
  answer: string | Uint8Array | undefined,
  measure: (servers: Servers) => Promise<T>,
): Promise<T> {
  const upstream = createServer((incoming, outgoing) => {
    incoming.resume().once("end", () => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      if (answer !== undefined) outgoing.end(answer);
      else
        outgoing.write(
          'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n',
        );
    });
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const home = mkdtempSync(join(tmpdir(), "lathe-gateway-"));
  const ours = await startGateway(home, target);
  const env = { PATH: process.env["PATH"] ?? "" };
  const bare = await started([BARE, target], env, "stdout");
  const plain = await started([PROXY, target], env, "stdout");
  try {
    return await measure({ ours, bare, plain });
  } finally {
    for (const { child, agent } of [ours, bare, plain]) {
      agent.destroy();
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    upstream.closeAllConnections();
    upstream.close();
    rmSync(home, { recursive: true });
  }
}

async function startGateway(home: string, target: string): Promise<Served> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LATHE_HOME: join(home, ".lathe") };
  mkdirSync(env.LATHE_HOME);
  const model = {
    id: "m",
    contextWindow: 200_000,
    maxTokens: 100_000,
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  };
  const provider = { baseUrl: `${target}/v1`, api: "openai-completions", apiKey: "k-0123456789", models: [model] };
  writeFileSync(join(env.LATHE_HOME, "models.yml"), JSON.stringify({ providers: { bench: provider } }));
  const key = await lines([CLI, "auth-gateway", "key", "add", "bench", "--budget", "1000"], env);
  const served = await started([CLI, "auth-gateway", "serve", "--bind", "127.0.0.1:0"], env, "stderr");
  return { ...served, key };
}

async function lines(argv: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, argv, { env, cwd: env["HOME"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, "close");
  return text.trim();
}

async function started(
  argv: readonly string[],
  env: Record<string, string>,
  says: "stdout" | "stderr",
): Promise<Served> {
  const child = spawn(process.execPath, argv, { env, cwd: env["HOME"] ?? tmpdir() });
  const [line] = (await once(createInterface({ input: child[says] as Readable }), "line")) as [string];
  const url = /http:\/\/[\d.:]+\d/.exec(line)?.[0];
  if (url === undefined) throw new Error(line);
  child.stdout.resume();
  child.stderr.resume();
  return { url, key: "k", child, agent: new Agent({ keepAlive: true }) };
}

const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Write." }] });

async function begun({ url, key, agent }: Served): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const asked = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent });
  asked.end(BODY);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  return response;
}

async function firstByte(server: Served): Promise<number> {
  const began = performance.now();
  const response = await begun(server);
  await once(response, "data");
  const took = performance.now() - began;
  response.resume();
  if (!response.readableEnded) await once(response, "end");
  return took;
}

async function whole(server: Served): Promise<void> {
  const response = await begun(server);
  response.resume();
  await once(response, "end");
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

/** Fields 14 and 15 of stat, in hundredths of a second. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const residentBytes = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
