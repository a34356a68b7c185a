// Follows a broker's stream while there are listeners, and reconnects when it breaks, with growing pauses.

import type { ClientDeps } from "@lathe/llm";
import { BrokerError } from "./broker-client.ts";
import type { StreamEvent } from "./wire.ts";

/** A shorter run needs no stream, and a starting run has more urgent work. */
const BEGINS_AFTER_MS = 500;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The broker sends comments far more often than this. */
const SILENCE_MS = 90_000;

export interface FollowingParts {
  readonly open: (signal: AbortSignal, onLife: () => void) => AsyncIterable<StreamEvent>;
  /** Returns false if changes are missing, so that the stream must restart with a snapshot. */
  readonly take: (event: StreamEvent) => Promise<boolean>;
  /** Called when the broker does not accept the token: asking again would be useless. */
  readonly onRefused: () => Promise<void>;
  readonly setTimer: ClientDeps["setTimer"];
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Starts following at once; returns a function that stops it. */
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
      // The random part keeps clients from reconnecting to a restarted broker all at the same moment.
      await pause(waitMs * (0.5 + random()), signal);
    }
  }

  /** Keeps one connection until it ends. */
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
      // The known credentials stay in use; requests that need the broker report what is wrong with it.
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
