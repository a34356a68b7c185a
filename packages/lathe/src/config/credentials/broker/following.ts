// Follows the stream of a broker as long as somebody wants its changes: connects again when it breaks, later each time.

import type { ClientDeps } from "@lathe/llm";
import { BrokerError } from "./broker-client.ts";
import type { StreamEvent } from "./wire.ts";

/** A run that is over sooner needs no stream, and one that begins has better things to do. */
const BEGINS_AFTER_MS = 500;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The broker sends comments far more often. */
const SILENCE_MS = 90_000;

export interface FollowingParts {
  readonly open: (signal: AbortSignal, onLife: () => void) => AsyncIterable<StreamEvent>;
  /** False: changes are missing, so that the stream has to begin again, with a snapshot. */
  readonly take: (event: StreamEvent) => Promise<boolean>;
  /** It does not accept the token: there is no use in asking again. */
  readonly onRefused: () => Promise<void>;
  readonly setTimer: ClientDeps["setTimer"];
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Begins now; returns how to end it. */
export function follow(parts: FollowingParts): () => void {
  const over = new AbortController();
  const { setTimer } = parts;
  void run(parts, over.signal);
  return () => over.abort();

  async function run({ take, onRefused, random }: FollowingParts, signal: AbortSignal): Promise<void> {
    let waitMs = 0;
    await pause(BEGINS_AFTER_MS, signal);
    while (!signal.aborted) {
      const outcome = await connection(take, signal);
      if (signal.aborted) return;
      if (outcome === "refused") return onRefused();
      waitMs = outcome === "worked" ? FIRST_WAIT_MS : Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      // A broker that starts again is not asked by all of its clients at the same moment.
      await pause(waitMs * (0.5 + random()), signal);
    }
  }

  /** One connection, to its end. */
  async function connection(
    take: FollowingParts["take"],
    signal: AbortSignal,
  ): Promise<"worked" | "failed" | "refused"> {
    const silent = new AbortController();
    let timer = setTimer(() => silent.abort(), SILENCE_MS);
    let hasWorked = false;
    const onLife = (): void => {
      timer.cancel();
      timer = setTimer(() => silent.abort(), SILENCE_MS);
    };
    try {
      for await (const event of parts.open(AbortSignal.any([signal, silent.signal]), onLife)) {
        if (!(await take(event))) break;
        hasWorked = true;
      }
    } catch (error) {
      // What was known goes on being used; requests that need the broker say what is wrong with it.
      if (error instanceof BrokerError && error.failure === "refused") return "refused";
    } finally {
      timer.cancel();
    }
    return hasWorked ? "worked" : "failed";
  }

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimer(end, ms);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
    });
  }
}
