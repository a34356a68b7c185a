// The fair queue from the view of its keys, with random arrivals, sizes, departures and limits, and a clock of the
// test's own.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountLimits } from "./account-limits.ts";
import { FairQueue, type Ticket } from "./fair-queue.ts";

const MINUTE = 60_000;
const runs = { numRuns: process.env["LATHE_LONG"] ? 3000 : 60 };

/** Runs a queue until it is empty and returns the order in which requests went. */
function run(
  limits: { readonly requests?: number; readonly tokens?: number },
  arrivals: readonly {
    readonly at: number;
    readonly ticket: Ticket;
    readonly used: number;
    readonly takesMs: number;
  }[],
) {
  let now = 0;
  const account = new AccountLimits(() => now, limits);
  const queue = new FairQueue(account);
  const coming = [...arrivals].sort((a, b) => a.at - b.at);
  const running: { readonly ticket: Ticket; readonly used: number; readonly end: number }[] = [];
  const byTicket = new Map(arrivals.map((arrival) => [arrival.ticket, arrival]));
  const went: { readonly ticket: Ticket; readonly at: number }[] = [];
  for (let steps = 0; coming.length + running.length + queue.waiting > 0; steps++) {
    if (steps > 100_000) throw new Error("The queue does not move.");
    while (coming[0] !== undefined && coming[0].at <= now) queue.join(coming.shift()!.ticket);
    for (const ended of running.filter(({ end }) => end <= now)) {
      running.splice(running.indexOf(ended), 1);
      queue.finish(ended.ticket, ended.used);
    }
    for (let ticket = queue.next(); ticket !== undefined; ticket = queue.next()) {
      const { used, takesMs } = byTicket.get(ticket)!;
      went.push({ ticket, at: now });
      running.push({ ticket, used, end: now + takesMs });
    }
    const waitMs = queue.waitMs();
    const next = [coming[0]?.at, ...running.map(({ end }) => end), waitMs === undefined ? undefined : now + waitMs];
    const soonest = Math.min(...next.filter((at) => at !== undefined));
    if (Number.isFinite(soonest)) now = Math.max(now + 1, soonest);
  }
  return went;
}

const arrival = (key: string, at: number, tokens: number, used = tokens, takesMs = 10) => ({
  at,
  ticket: { key, tokens },
  used,
  takesMs,
});

describe("M2 fair shares of an account", () => {
  it("M2 every request goes, whatever comes, and never more in a minute than the account takes", () => {
    const one = fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      at: fc.nat(3 * MINUTE),
      tokens: fc.integer({ min: 1, max: 20_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      takesMs: fc.integer({ min: 1, max: 30_000 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), fc.integer({ min: 2, max: 60 }), (list, requests) => {
        const arrivals = list.map(({ key, at, tokens, share, takesMs }) =>
          arrival(key, at, tokens, Math.floor(tokens * share), takesMs),
        );
        const went = run({ requests, tokens: 30_000 }, arrivals);
        expect(went).toHaveLength(arrivals.length);
        // A full level plus what refills meanwhile.
        for (const [from, { at }] of went.entries())
          expect(went.slice(from).filter((later) => later.at < at + MINUTE).length).toBeLessThanOrEqual(2 * requests);
      }),
      runs,
    );
  });

  it("M2 while keys wait, none is behind another by more than one request of each", () => {
    const sizes = fc.array(fc.integer({ min: 10, max: 5000 }), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(sizes, sizes, sizes, (a, b, c) => {
        const arrivals = Object.entries({ a, b, c }).flatMap(([key, list]) =>
          list.map((tokens) => arrival(key, 0, tokens)),
        );
        const taken: Record<string, number> = { a: 0, b: 0, c: 0 };
        const left: Record<string, number> = { a: 30, b: 30, c: 30 };
        for (const { ticket } of run({ tokens: 10_000 }, arrivals)) {
          if (Object.values(left).every((count) => count > 0)) {
            const others = Object.values(taken);
            expect(Math.max(...others) - Math.min(...others)).toBeLessThanOrEqual(5000);
          }
          taken[ticket.key] = (taken[ticket.key] ?? 0) + ticket.tokens;
          left[ticket.key] = (left[ticket.key] ?? 0) - 1;
        }
      }),
      runs,
    );
  });

  it("M2 a key that floods the account delays another one by its own share only", () => {
    const flood = Array.from({ length: 200 }, () => arrival("flood", 0, 1000));
    const quiet = Array.from({ length: 10 }, (_, nth) => arrival("quiet", MINUTE + nth * 6000, 1000));
    // Twenty a minute shared by two keys: each may send one every six seconds.
    const went = run({ requests: 20 }, [...flood, ...quiet]);
    for (const { ticket, at } of went)
      if (ticket.key === "quiet") {
        const { at: came } = quiet.find((one) => one.ticket === ticket)!;
        expect(at - came).toBeLessThanOrEqual(2 * 6000);
      }
  });

  it("M2 a large request is not passed for ever by small ones", () => {
    const small = Array.from({ length: 300 }, (_, nth) => arrival(`small-${nth % 3}`, nth * 100, 500));
    const large = arrival("large", 1000, 10_000);
    const went = run({ tokens: 10_000 }, [...small, large]);
    const before = went.findIndex(({ ticket }) => ticket === large.ticket);
    const others = went.slice(0, before).filter(({ at }) => at >= 1000);
    expect(others.reduce((sum, { ticket }) => sum + ticket.tokens, 0)).toBeLessThanOrEqual(3 * 10_000);
  });

  it("M2 what a request did not take is the key's and the account's again", () => {
    // Each reserves much and uses little: by their reservations, only three would fit into a minute.
    const modest = Array.from({ length: 20 }, () => arrival("modest", 0, 3000, 100));
    const went = run({ tokens: 9000 }, modest);
    expect(went.at(-1)?.at).toBeLessThan(MINUTE);
  });

  it("M2 a key that waited for nothing has saved nothing", () => {
    const busy = Array.from({ length: 100 }, () => arrival("busy", 0, 1000));
    const late = Array.from({ length: 100 }, () => arrival("late", 2 * MINUTE, 1000));
    const went = run({ requests: 20 }, [...busy, ...late]).filter(({ at }) => at >= 2 * MINUTE);
    const first = went.slice(0, 20).filter(({ ticket }) => ticket.key === "late");
    expect(first.length).toBeLessThanOrEqual(11);
  });
});
