import { expect, it } from "vitest";
import type { AccountInfo, AccountStanding } from "../source.ts";
import { type Candidate, type RankingMode, rankAccounts, rankingMode } from "./ranking.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;

const account = (id: string, more: Partial<AccountInfo> = {}): AccountInfo => ({
  provider: "stub",
  id,
  name: id,
  type: "oauth",
  isRenewable: true,
  ...more,
});
const used = (share: number, resetsIn?: number): AccountStanding => ({
  usage: {
    at: NOW,
    windows: [{ name: "week", used: share, ...(resetsIn === undefined ? {} : { resetsAt: NOW + resetsIn }) }],
  },
});
const blocked = (until: number): AccountStanding => ({ limit: { until: NOW + until, reason: "rate limit reached" } });
const candidates = (all: Readonly<Record<string, AccountStanding>>): Candidate[] =>
  Object.entries(all).map(([id, standing]) => ({ account: account(id), standing }));

it.each<[RankingMode, string, Readonly<Record<string, AccountStanding>>, readonly string[]]>([
  [
    "balanced",
    "the least used",
    { a: used(0.6, HOUR), b: used(0.1, 9 * HOUR), c: used(0.3, 2 * HOUR) },
    ["b", "c", "a"],
  ],
  [
    "earliest-reset",
    "the soonest reset",
    { a: used(0.6, HOUR), b: used(0.1, 9 * HOUR), c: used(0.3, 2 * HOUR) },
    ["a", "c", "b"],
  ],
  ["balanced", "exhausted after all others", { a: used(1, HOUR), b: used(0.9), c: used(0.95) }, ["b", "c", "a"]],
  [
    "earliest-reset",
    "exhausted after all others",
    { a: used(1, HOUR), b: used(0.9, 5 * HOUR), c: used(0.2) },
    ["b", "c", "a"],
  ],
  [
    "balanced",
    "of blocked ones the soonest free",
    { a: blocked(3 * HOUR), b: used(1, 2 * HOUR), c: blocked(HOUR) },
    ["c", "b", "a"],
  ],
  [
    "earliest-reset",
    "blocked after all others",
    { a: { ...used(0, 1), ...blocked(HOUR) }, b: used(0.9, 5 * HOUR) },
    ["b", "a"],
  ],
  ["balanced", "unknown as unused", { a: used(0.1), b: {} }, ["b", "a"]],
  ["earliest-reset", "equal resets by use", { a: used(0.5, HOUR), b: used(0.2, HOUR) }, ["b", "a"]],
  ["balanced", "as stored when equal", { a: {}, b: {} }, ["a", "b"]],
])("G-51 %s: %s", (mode, _what, standings, order) => {
  expect(rankAccounts(candidates(standings), mode).map(({ account: { id } }) => id)).toEqual(order);
});

it("G-51 an account with two limits counts by the tighter one, and headers count where there is no report", () => {
  const tight: AccountStanding = {
    usage: {
      at: NOW,
      windows: [
        { name: "5 hours", used: 0.1 },
        { name: "week", used: 0.8 },
      ],
    },
  };
  const headers: AccountStanding = { rateLimit: { at: NOW, windows: [{ name: "tokens", used: 0.5 }] } };
  const ranked = rankAccounts(candidates({ a: tight, b: headers }), "balanced");
  expect(ranked.map(({ account: { id }, reason }) => [id, reason])).toEqual([
    ["b", "least used: 50 % of tokens"],
    ["a", "least used: 80 % of week"],
  ]);
});

it("AU-01 a key comes before a sign-in while it can be used, and disabled accounts come last", () => {
  const key = { account: account("key", { type: "api_key", isRenewable: false }), standing: used(0.9) };
  const signIn = { account: account("sign-in"), standing: used(0) };
  const gone = { account: account("gone", { disabled: { cause: "invalid_grant", at: NOW } }), standing: {} };
  const ids = (all: Candidate[]) =>
    rankAccounts(all, "balanced").map(({ account: { id }, isUsable }) => [id, isUsable]);
  expect(ids([gone, signIn, key])).toEqual([
    ["key", true],
    ["sign-in", true],
    ["gone", false],
  ]);
  expect(ids([{ ...key, standing: blocked(HOUR) }, signIn])).toEqual([
    ["sign-in", true],
    ["key", false],
  ]);
});

it("G-51 an unknown mode is balanced", () => {
  expect(["earliest-reset", " earliest-reset ", "newest", "", undefined].map(rankingMode)).toEqual([
    "earliest-reset",
    "earliest-reset",
    "balanced",
    "balanced",
    "balanced",
  ]);
});
