// The accounts of a broker as `findCredential` and its callers see them: followed over a stream that breaks, renewed
// once for all callers, and compared with one request.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientDeps, defaultDeps } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrokerAccounts } from "../../src/config/credentials/broker/broker-accounts.ts";
import { BrokerClient } from "../../src/config/credentials/broker/broker-client.ts";
import { SnapshotCache } from "../../src/config/credentials/broker/snapshot-cache.ts";
import type { AccountChange } from "../../src/config/credentials/source.ts";
import { BROKER_TOKEN, key, type StubBroker, stubBroker, token } from "./stub-broker.ts";

const HOUR = 3_600_000;
const AT = { provider: "openai", id: "id-work" };

let broker: StubBroker;
let folder: string;
let now: number;
const ends: (() => void)[] = [];
const caches: SnapshotCache[] = [];
beforeEach(async () => {
  now = Date.now();
  folder = await mkdtemp(join(tmpdir(), "broker-"));
  broker = await stubBroker(key("work", "key-of-broker-1234"));
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await broker.close();
  // Listeners are told before the file is written; a folder that is being written to cannot be removed.
  for (const cache of caches.splice(0)) await cache.remove();
  await rm(folder, { recursive: true });
});

function accounts(changed: Partial<ClientDeps> = {}): BrokerAccounts {
  // Pauses end at once; deadlines keep their length.
  const setTimer: ClientDeps["setTimer"] = (callback, ms) => {
    const timer = setTimeout(callback, ms < 60_000 ? 0 : ms).unref();
    return { cancel: () => clearTimeout(timer) };
  };
  const deps = defaultDeps({ env: {}, now: () => now, setTimer, random: () => 0, ...changed });
  const { url } = broker;
  const cache = new SnapshotCache({ file: join(folder, "kept"), url, token: BROKER_TOKEN, ttlMs: HOUR, now: deps.now });
  caches.push(cache);
  return new BrokerAccounts({
    client: new BrokerClient(
      { url, token: BROKER_TOKEN, tokenSource: "LATHE_AUTH_BROKER_TOKEN", cacheFile: "", cacheTtlMs: HOUR },
      deps.fetch,
    ),
    cache,
    deps,
    onSecret: () => {},
  });
}

/** Collects changes and waits for a number of them. */
function follow(source: BrokerAccounts) {
  const changes: AccountChange[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const end = source.subscribe((change) => {
    changes.push(change);
    for (const { count, resolve } of waiting) if (changes.length >= count) resolve();
  });
  ends.push(end);
  const come = (count: number): Promise<void> =>
    changes.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.push({ count, resolve }));
  return { changes, come, end };
}

describe("AU-04 the stream", () => {
  it("AU-04 brings what is stored, renewed, disabled and removed; a run that begins later has it without asking", async () => {
    const source = accounts();
    await source.providers();
    const { changes, come } = follow(source);
    await broker.streams(1);
    const at = { generatedAt: now, generation: 0 };
    const other = token("home", "token-1", now + HOUR, "anthropic");
    broker.send({ kind: "changed", ...at, generation: 2, credential: other });
    broker.send({ kind: "changed", ...at, generation: 3, credential: { ...key("work", "another-key-1234") } });
    await come(2);
    expect(await source.providers()).toEqual(["openai", "anthropic"]);
    expect(await source.secret(AT)).toEqual({ kind: "key", value: "another-key-1234" });
    const { id, name, provider } = other;
    broker.send({
      kind: "disabled",
      ...at,
      generation: 4,
      credential: { provider, id, name, type: "oauth", cause: "revoked", at: 7 },
    });
    broker.send({ kind: "removed", ...at, generation: 5, provider: "openai", id: "id-work", name: "work" });
    await come(4);
    expect(await source.accounts("anthropic")).toMatchObject([{ name: "home", disabled: { cause: "revoked", at: 7 } }]);
    await expect(source.secret(AT)).rejects.toThrow(
      "The credential of openai was removed from the broker. Run: lathe auth-broker login openai",
    );
    expect(changes.map(({ kind }) => kind)).toEqual(["changed", "changed", "changed", "removed"]);
    // The disk is written after the listeners were told.
    while ((await accounts().providers()).includes("openai")) await new Promise(setImmediate);
    expect(await accounts().accounts("anthropic")).toMatchObject([{ name: "home", disabled: { cause: "revoked" } }]);
    expect(broker.asked).toEqual(["GET /v1/snapshot", "GET /v1/snapshot/stream"]);
  });

  it("AU-04 begins again when it breaks or a change is missing, and takes what has become different meanwhile", async () => {
    const source = accounts();
    await source.providers();
    const { come } = follow(source);
    await broker.streams(1);
    broker.snapshot = { ...broker.snapshot, generation: 9, credentials: [key("work", "while-away-1234")] };
    broker.breakStreams();
    await come(1);
    expect(await source.secret(AT)).toMatchObject({ value: "while-away-1234" });
    broker.snapshot = { ...broker.snapshot, generation: 12, credentials: [key("work", "after-gap-1234")] };
    broker.send({ kind: "changed", generatedAt: now, generation: 12, credential: key("other", "x-1234567") });
    await come(2);
    expect(await source.secret(AT)).toMatchObject({ value: "after-gap-1234" });
    // News older than what is known is ignored.
    broker.send({ kind: "removed", generatedAt: now, generation: 3, provider: "openai", id: "id-work", name: "work" });
    broker.send({ kind: "changed", generatedAt: now, generation: 13, credential: key("third", "y-1234567") });
    await come(3);
    expect((await source.accounts("openai")).map(({ name }) => name)).toEqual(["work", "third"]);
  });

  it("AU-04 ends with the last who listens, and with a token that is refused", async () => {
    const source = accounts();
    await source.providers();
    const [first, second] = [follow(source), follow(source)];
    await broker.streams(1);
    first.end();
    expect(broker.openStreams).toBe(1);
    second.end();
    while (broker.openStreams > 0) await new Promise(setImmediate);
    broker.token = "regenerated";
    let refusals = 0;
    const refused = new Promise<void>((resolve) => {
      broker.instead = ({ url }, response) => {
        if (url === "/v1/snapshot/stream") refusals += 1;
        response.once("finish", resolve);
        return false;
      };
    });
    follow(source);
    await refused;
    // The cache is useless with that token; what is in memory is still used.
    expect(await source.secret(AT)).toMatchObject({ value: "key-of-broker-1234" });
    const fails = (): Promise<unknown> =>
      accounts()
        .providers()
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    while ((await fails()) === undefined) await new Promise(setImmediate);
    await expect(accounts().providers()).rejects.toThrow("does not accept the token of LATHE_AUTH_BROKER_TOKEN");
    expect(refusals).toBe(1);
  });
});

describe("AU-04 renewal", () => {
  it("AU-04 20 who ask at once make one request; a broker that is down costs nothing while the token still works", async () => {
    broker.snapshot = { ...broker.snapshot, credentials: [token("work", "old-token", now + 30_000)] };
    broker.refresh = () => token("work", "new-token", now + HOUR);
    const source = accounts();
    const all = await Promise.all(Array.from({ length: 20 }, () => source.secret(AT)));
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set(["new-token"]));
    expect(broker.asked).toEqual(["GET /v1/snapshot", "POST /v1/credential/id-work/refresh"]);

    now += HOUR - 30_000;
    broker.instead = (_request, response) => {
      response.destroy();
      return true;
    };
    expect(await source.secret(AT)).toEqual({ kind: "bearer", value: "new-token" });
    now += 30_000;
    await expect(source.secret(AT)).rejects.toThrow(/^The broker at \S+ cannot be reached: .*Start it with/);
  });

  it("AU-04 refresh() asks although the token is fresh; one that was removed or cannot be renewed says so", async () => {
    broker.snapshot = { ...broker.snapshot, credentials: [token("work", "fresh-token", now + HOUR)] };
    broker.refresh = () => token("work", "fresher-token", now + HOUR);
    const source = accounts();
    expect(await source.secret(AT)).toEqual({ kind: "bearer", value: "fresh-token" });
    expect(await source.refresh(AT)).toEqual({ kind: "bearer", value: "fresher-token" });
    broker.refresh = () => undefined;
    await expect(source.refresh(AT)).rejects.toThrow("was removed from the broker");
    broker.snapshot = {
      ...broker.snapshot,
      credentials: [{ ...token("work", "lasts-no-more", now - 1), isRenewable: false }],
    };
    await rm(join(folder, "kept"));
    await expect(accounts().secret(AT)).rejects.toThrow(
      "The sign-in for openai has expired, and the broker cannot renew it. Run: lathe auth-broker login openai",
    );
  });

  it("AU-04 reports go to the broker, and count here at once", async () => {
    const source = accounts();
    await source.report(AT, { kind: "limit", until: now + HOUR, reason: "rate limit reached" });
    await source.report(AT, { kind: "rate_limit", info: { tokensRemaining: 25, tokensLimit: 100 } });
    expect(broker.posted).toEqual([
      { kind: "limit", until: now + HOUR, reason: "rate limit reached" },
      { kind: "rate_limit", windows: [{ name: "tokens", used: 0.75 }] },
    ]);
    expect(await source.standing(AT)).toMatchObject({
      limit: { until: now + HOUR },
      rateLimit: { windows: [{ name: "tokens", used: 0.75 }] },
    });
    await source.report(AT, { kind: "disabled", cause: "revoked by its owner" });
    expect(broker.posted.at(-1)).toEqual({ cause: "revoked by its owner" });
    expect(await source.accounts("openai")).toMatchObject([{ disabled: { cause: "revoked by its owner" } }]);
  });
});

describe("AU-06 AU-04 usage", () => {
  const reply = (used: number) => ({
    generatedAt: now,
    accounts: [{ ...AT, name: "work", usage: { at: now, windows: [{ name: "week", used }] } }],
  });
  const hits = (): number => broker.asked.filter((line) => line.endsWith("/v1/usage")).length;

  it("AU-04 AU-06 20 calls at once make one request; one that gives up leaves the others theirs; later ones share it for 15 s", async () => {
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      broker.usage = () => {
        resolve();
        return new Promise((done) => {
          answer = () => done(reply(0.5));
        });
      };
    });
    const source = accounts();
    const leaving = new AbortController();
    const left = source.standing(AT, leaving.signal);
    const others = Array.from({ length: 19 }, () => source.standing(AT, new AbortController().signal));
    await asked;
    leaving.abort();
    expect(await left).toEqual({});
    answer?.();
    const got = await Promise.all(others);
    expect(new Set(got.map(({ usage }) => usage?.windows[0]?.used))).toEqual(new Set([0.5]));
    now += 14_000;
    await source.standing(AT);
    expect(hits()).toBe(1);
    now += 2_000;
    broker.usage = async () => reply(0.7);
    expect(await source.standing(AT)).toMatchObject({ usage: { windows: [{ used: 0.7 }] } });
    expect(hits()).toBe(2);
  });

  it("AU-04 a failure means that nothing is known, and is not asked about again for 15 s", async () => {
    broker.usage = async () => undefined;
    const source = accounts();
    expect([await source.standing(AT), await source.standing(AT), hits()]).toEqual([{}, {}, 1]);
    const given = AbortSignal.abort();
    now += 16_000;
    expect([await source.standing(AT, given), hits()]).toEqual([{}, 1]);
  });
});
