// Rounds of generated attacks. Each round has its own generator, so that a failed one can be repeated alone: the
// message names the seed and the round. In the gate the seed is fixed and the rounds are few; LATHE_LONG=1 runs 10,000
// with a random seed, LATHE_SEED and LATHE_ROUND repeat what failed.

import { randomInt } from "node:crypto";

const isLong = process.env["LATHE_LONG"] !== undefined;
const SEED = Number(process.env["LATHE_SEED"] ?? (isLong ? randomInt(2 ** 31) : 20_261_116));
const ONLY = process.env["LATHE_ROUND"];

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.number() * end);
  }

  /** True in this percentage of cases. */
  percent(share: number): boolean {
    return this.number() * 100 < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}

/** Runs `few` rounds in the gate, `many` in the long run; `each` throws if the attack succeeded. */
export async function rounds(
  what: string,
  { few, many }: { readonly few: number; readonly many: number },
  each: (chance: Chance, round: number) => Promise<void>,
): Promise<void> {
  const count = isLong ? many : few;
  if (isLong) process.stdout.write(`${what}: ${count} rounds, LATHE_SEED=${SEED}\n`);
  const only = ONLY === undefined ? undefined : Number(ONLY);
  for (let round = only ?? 0; round < (only === undefined ? count : only + 1); round++) {
    try {
      await each(new Chance(Math.imul(SEED, 2_654_435_761) + Math.imul(round, 40_503)), round);
    } catch (error) {
      const again = `LATHE_SEED=${SEED} LATHE_ROUND=${round}`;
      throw new Error(`${what}, round ${round} (again with ${again}): ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Fails if the work does not end: a hang is also a finding, and must name its round. */
export async function mustEnd<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
