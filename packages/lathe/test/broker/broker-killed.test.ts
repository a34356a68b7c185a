// A broker is killed again and again while it renews, each time at another moment: no credential is lost except the one
// whose new token was on its way, that one is named, and nothing is renewed twice.

import { watch } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../../agent/test/alive.ts";
import { type BrokerProcessKit, brokerProcessKit } from "./broker-process-kit.ts";

const ROUNDS = process.env["LATHE_LONG"] ? 40 : 1;
/** Roughly the number of file changes that a broker makes from its start to the end of a renewal. */
const CHANGES = 24;
const LOST = /^invalid_grant \(renewing was cut off at \S+; the token that the issuer sent then is lost\)$/;

let kit: BrokerProcessKit;
beforeEach(async () => {
  kit = await brokerProcessKit();
  // Each broker finds a token that is about to expire, and renews it at its start.
  kit.issuer.lifetime = 60;
});
afterEach(() => kit.close());

/** Starts a broker and kills it at the `nth` change of its files, or when it has renewed. */
async function killedAt(nth: number): Promise<void> {
  const { issuer, vault } = kit;
  const asked = issuer.shown.length;
  const child = kit.spawn();
  let changes = 0;
  const reached = new Promise<void>((resolve) => {
    const watcher = watch(vault.folder, () => {
      if (++changes >= nth) resolve();
    });
    child.once("close", () => watcher.close());
  });
  const isRenewed = async (): Promise<boolean> => {
    const stored = await vault.store.get("acme");
    return issuer.shown.length > asked && stored?.type === "oauth" && stored.refresh === issuer.valid;
  };
  let isOver = false;
  await Promise.race([reached, until(async () => isOver || (await isRenewed()))]);
  isOver = true;
  await kit.kill(child);
}

it(
  "AU-02 M2 a broker that is killed at any moment of a renewal: nothing is lost without a word, nothing is renewed twice",
  async () => {
    const { issuer, vault } = kit;
    await kit.store(issuer.valid, Date.now() + 60_000);
    let lost = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const nth = 1 + Math.floor(Math.random() * CHANGES);
      const before = issuer.shown.length;
      await killedAt(nth);
      // A process asks once, whatever happens.
      expect(issuer.shown.length - before).toBeLessThanOrEqual(1);
      const held = await vault.store.get("acme");
      const isLost = held?.type === "oauth" && held.refresh !== issuer.valid;
      const asked = issuer.shown.length;
      const next = await kit.start();
      await until(() => issuer.shown.length > asked);
      await until(async () => /^(?:good|disabled)$/.test((await kit.status()).state));
      expect(issuer.shown.length - asked).toBe(1);
      const { state, cause } = await kit.status();
      expect({ round, nth, state, cause }).toEqual({
        ...{ round, nth },
        state: isLost ? "disabled" : "good",
        cause: isLost ? expect.stringMatching(LOST) : undefined,
      });
      if (!isLost) expect(await vault.store.get("acme")).toMatchObject({ refresh: issuer.valid });
      await next.kill();
      if (isLost) await kit.store(issuer.valid, Date.now() + 60_000);
      lost += Number(isLost);
    }
    // A token is sent again only if the broker that sent it was killed before the answer arrived.
    const again = issuer.shown.length - new Set(issuer.shown).size;
    expect(again).toBeLessThanOrEqual(ROUNDS);
    expect(lost).toBeLessThanOrEqual(again);
  },
  ROUNDS * 30_000,
);
