import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AccountStandings } from "./standings.ts";
import { askUsage } from "./usage/ask-usage.ts";
import { Coalesced } from "./usage/coalesced.ts";

const MINUTE = 60_000;
const account = { provider: "stub", id: "stub-1" };
const secret = async () => ({ kind: "bearer", value: "token-1" }) as const;

let now = 0;
let file: string;
let hits: (string | undefined)[] = [];
let answer: () => { readonly status: number; readonly body: string };
const vendor = createServer((request, response) => {
  hits.push(request.headers.authorization);
  const { status, body } = answer();
  response.writeHead(status, { "content-type": "application/json" }).end(body);
});

beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  hits = [];
  answer = () => ({ status: 200, body: '{"five_hour":{"utilization":12},"week":{"left":3,"limit":4,"ends":3600}}' });
  file = join(await mkdtemp(join(tmpdir(), "lathe-usage-")), "accounts.json");
  if (!vendor.listening) await once(vendor.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => void vendor.close());

/** Another process would have its own object. */
function standings(random = () => 0.5): AccountStandings {
  const row = {
    usageUrl: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/usage`,
    usage: [
      { name: "5 hours", percent: "five_hour.utilization" },
      { name: "week", remaining: "week.left", limit: "week.limit", resetsAt: "week.ends" },
      { name: "not there", percent: "nothing.of.it" },
    ],
  };
  return new AccountStandings({
    file,
    now: () => now,
    random,
    askUsage: (_account, ask) => askUsage(row, ask, { fetch: defaultDeps().fetch, now: () => now }),
  });
}

/** A session asks every ten seconds. */
async function simulatedHour(of: AccountStandings): Promise<number> {
  const before = hits.length;
  for (const end = now + 60 * MINUTE; now < end; now += 10_000) await of.of(account, secret);
  return hits.length - before;
}

it("AU-06 a simulated hour: every 5 minutes, a quarter more or less, each account by itself", async () => {
  expect(await simulatedHour(standings(() => 0.5))).toBe(12);
  now += 60 * MINUTE;
  expect(await simulatedHour(standings(() => 0))).toBe(16);
  now += 60 * MINUTE;
  // The interval is 6 min 15 s, rounded up to the next ten seconds.
  expect(await simulatedHour(standings(() => 0.9999))).toBe(10);
  expect(hits).toEqual(hits.map(() => "Bearer token-1"));
  await standings().of({ provider: "stub", id: "stub-2" }, secret);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ "stub-1": {}, "stub-2": {} });
});

it("AU-06 fields of the answer become shares and times, and another process does not ask again", async () => {
  const windows = [
    { name: "5 hours", used: 0.12 },
    { name: "week", used: 0.25, resetsAt: now + 3_600_000 },
  ];
  expect(await standings().of(account, secret)).toEqual({ usage: { at: now, windows } });
  now += MINUTE;
  expect((await standings().of(account, secret)).usage?.windows).toEqual(windows);
  expect(hits).toHaveLength(1);
});

it("AU-06 an outage returns the last good report for 24 hours, then nothing, and the vendor is not hammered", async () => {
  const good = (await standings().of(account, secret)).usage;
  expect(good?.windows).toHaveLength(2);
  answer = () => ({ status: 503, body: "<html>down</html>" });
  now += 30 * MINUTE;
  expect((await standings().of(account, secret)).usage).toEqual(good);
  expect(await simulatedHour(standings())).toBeLessThanOrEqual(12);
  // The week has restarted in the meantime; the end of the other limit is unknown.
  expect((await standings().of(account, secret)).usage).toEqual({
    at: good?.at,
    windows: [{ name: "5 hours", used: 0.12 }],
  });
  now = (good?.at ?? 0) + 24 * 60 * MINUTE;
  expect(await standings().of(account, secret)).toEqual({});
  answer = () => ({ status: 200, body: '{"five_hour":{"utilization":1}}' });
  now += 7 * MINUTE;
  expect((await standings().of(account, secret)).usage?.windows).toEqual([{ name: "5 hours", used: 0.01 }]);
});

it.each([
  ["no JSON", "oops"],
  ["another form", '{"five_hour":7,"week":[]}'],
  ["a number that is none", '{"five_hour":{"utilization":"NaN"},"week":{"left":1,"limit":0}}'],
])("AU-06 an answer with %s says nothing", async (_what, body) => {
  answer = () => ({ status: 200, body });
  expect(await standings().of(account, secret)).toEqual({});
});

it("AU-06 an aborted signal asks nobody; 20 calls at once are one request, and those of the next 15 seconds share it", async () => {
  const of = standings();
  expect(await of.of(account, secret, AbortSignal.abort())).toEqual({});
  expect(hits).toHaveLength(0);
  await Promise.all(Array.from({ length: 20 }, () => of.of(account, secret)));
  expect(hits).toHaveLength(1);

  let loads = 0;
  const shared = new Coalesced({ load: async () => ++loads, now: () => now, windowMs: 15_000 });
  const stop = new AbortController();
  const waiting = [shared.get(), shared.get(stop.signal), shared.get()];
  stop.abort();
  expect(await Promise.all(waiting)).toEqual([1, undefined, 1]);
  now += 14_999;
  expect(await shared.get()).toBe(1);
  now += 1;
  expect(await shared.get()).toBe(2);
});

it("G-51 a limit counts until it ends, also in another process; headers count until their reset", async () => {
  answer = () => ({ status: 404, body: "{}" });
  const of = standings();
  await of.note(account, { kind: "limit", until: now + MINUTE, reason: "quota used up" });
  const resetAt = new Date(now + 2 * MINUTE);
  await of.note(account, { kind: "rate_limit", info: { tokensRemaining: 25, tokensLimit: 100, resetAt } });
  const rateLimit = { at: now, windows: [{ name: "tokens", used: 0.75, resetsAt: resetAt.getTime() }] };
  expect(await of.of(account, secret)).toEqual({ limit: { until: now + MINUTE, reason: "quota used up" }, rateLimit });
  expect((await standings().of(account, secret)).limit).toBeDefined();
  now += MINUTE;
  expect(await of.of(account, secret)).toEqual({ rateLimit });
  now += MINUTE;
  expect(await of.of(account, secret)).toEqual({});
});

it("a file that is damaged or cannot be written costs the knowledge and nothing else", async () => {
  await writeFile(file, "{ no json");
  const of = standings();
  await of.note(account, { kind: "limit", until: now + MINUTE, reason: "quota used up" });
  expect((await of.of(account, secret)).limit).toBeDefined();
});
