// 200 clients with 8 keys at once: random sizes, clients that leave, a vendor that fails. The gateway's counts match
// the vendor's, no budget is exceeded, and no key waits longer than twice its share of the account.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import type { KeyBudget } from "../../src/doors/gateway/keys/terms.ts";
import { bearer } from "../serve/serve-kit.ts";
import { PRICES, startTestGateway, type TestGateway } from "./gateway-kit.ts";

const KEYS = 8;
const CLIENTS = 200;
const ROUNDS = process.env["LATHE_LONG"] ? 8 : 1;
/** A minute of the account passes in a second. */
const FASTER = 60;
/** Less than what all rounds of a key cost. */
const BUDGET = process.env["LATHE_LONG"] ? 0.7 : 0.35;

interface Plan {
  readonly key: number;
  readonly maxTokens: number;
  readonly fate: "answered" | "left" | "failed" | "limited" | "cut";
  readonly usage: { readonly input: number; readonly output: number };
}

/** Not random from run to run, so that a failure can be looked at. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function planOf(client: number, next: () => number): Plan {
  const maxTokens = 100 + Math.floor(next() * 3900);
  const chance = next();
  const fate =
    chance < 0.7 ? "answered" : chance < 0.8 ? "left" : chance < 0.9 ? "failed" : chance < 0.92 ? "limited" : "cut";
  return { key: client % KEYS, maxTokens, fate, usage: { input: 5, output: Math.ceil(next() * maxTokens) } };
}

const priceOf = ({ usage }: Plan): number => (usage.input * PRICES.input + usage.output * PRICES.output) / 1e6;

function turnOf({ fate, usage }: Plan) {
  if (fate === "failed") return turn.error(500);
  if (fate === "limited") return turn.error(429, { retryAfter: 2 });
  if (fate === "left") return turn.withFault({ kind: "endless" });
  return fate === "cut"
    ? turn.withFault({ kind: "cut", at: { events: 1 } }, turn.text("an answer that is cut off", { usage }))
    : turn.text("an answer", { usage });
}

/** `arrived`: the plans of the requests that the vendor gets, in order. */
function startBefore(plans: readonly Plan[], arrived: number[], perMinute: number): Promise<TestGateway> {
  return startTestGateway({
    settings: { gateway: { requestsPerMinute: { chatty: perMinute }, maxWaitMs: 100 * 60_000 } },
    machine: (machine) => {
      const { now, setTimer } = machine.deps;
      const began = now();
      return {
        ...machine,
        deps: {
          ...machine.deps,
          now: () => began + (now() - began) * FASTER,
          setTimer: (callback, ms) => setTimer(callback, ms / FASTER),
        },
      };
    },
    upstream: {
      script: (request) => {
        const nth = Number(/plan (\d+)/.exec(request.text)?.[1]);
        arrived.push(nth);
        return turnOf(plans[nth]!);
      },
    },
  });
}

/** All clients at once, each with its requests one after the other. Resolves when every request was logged. */
async function allClients(test: TestGateway, plans: readonly Plan[], budget: KeyBudget | undefined): Promise<void> {
  const keys = await Promise.all(Array.from({ length: KEYS }, (_, nth) => test.key({ name: `key-${nth}`, budget })));
  const send = async (nth: number): Promise<void> => {
    const { key, maxTokens, fate } = plans[nth]!;
    const leaving = new AbortController();
    const response = await fetch(`${test.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...bearer(keys[key]!), "content-type": "application/json" },
      body: JSON.stringify({
        model: "m-chat",
        stream: true,
        max_tokens: maxTokens,
        messages: [{ role: "user", content: `plan ${nth}` }],
      }),
      signal: leaving.signal,
    });
    const reader = response.body!.getReader();
    await reader.read();
    if (fate === "left") leaving.abort();
    else while (!(await reader.read()).done);
  };
  const client = async (first: number): Promise<void> => {
    // A refusal and an answer that is cut off are part of the plan.
    for (let nth = first; nth < plans.length; nth += CLIENTS) await send(nth).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => client(nth)));
  await test.whenLogged(plans.length);
}

it(
  "M2 200 clients on 8 keys: spent is what the vendor counts, and no budget is exceeded",
  async () => {
    const next = numbers(29);
    const plans = Array.from({ length: CLIENTS * ROUNDS }, (_, client) => planOf(client, next));
    const arrived: number[] = [];
    await using test = await startBefore(plans, arrived, 3000);
    await allClients(test, plans, { usd: BUDGET, period: "month" });
    const { keys: rows } = JSON.parse((await test.ask("/v1/usage", { headers: bearer(test.token) })).text);
    for (let nth = 0; nth < KEYS; nth++) {
      const row = rows.find(({ name }: { name: string }) => name === `key-${nth}`);
      const sent = arrived.map((at) => plans[at]!).filter(({ key }) => key === nth);
      const counted = sent.filter(({ fate }) => fate === "answered");
      expect(row.usd).toBeCloseTo(
        counted.reduce((sum, plan) => sum + priceOf(plan), 0),
        9,
      );
      // What the vendor may charge for answers that were cut off is within the budget, too.
      const mayBeBilled = sent.filter(({ fate }) => fate !== "failed" && fate !== "limited");
      expect(mayBeBilled.reduce((sum, plan) => sum + priceOf(plan), 0)).toBeLessThanOrEqual(
        row.usd + row.uncertain + 1e-9,
      );
      expect(row.usd + row.uncertain).toBeLessThanOrEqual(BUDGET + 1e-9);
    }
    // Some were refused, or the budgets have shown nothing.
    expect(test.requests.filter(({ why }) => why === "budget_exceeded").length).toBeGreaterThan(0);
    expect(arrived.length).toBeGreaterThan(CLIENTS / 2);
  },
  ROUNDS * 30_000,
);

it("M2 200 clients on 8 keys: none waits for longer than twice its share of the account", async () => {
  const next = numbers(30);
  const plans = Array.from({ length: CLIENTS }, (_, client) => planOf(client, next));
  const arrived: number[] = [];
  const perMinute = 60;
  await using test = await startBefore(plans, arrived, perMinute);
  await allClients(test, plans, undefined);
  // Those that the account takes at once do not wait. Then all keys do, and of 8 each has every eighth turn.
  const order = arrived.slice(perMinute + KEYS).map((nth) => plans[nth]!.key);
  for (let key = 0; key < KEYS; key++) {
    const own = order.flatMap((other, at) => (other === key ? [at] : []));
    const gaps = own.slice(1).map((at, before) => at - own[before]!);
    // Those that are let through in the same moment arrive in any order.
    expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(2 * KEYS + 2);
  }
}, 60_000);
