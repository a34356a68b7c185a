// What the agents of one batch share. Their first requests begin with the same bytes. All but the first are sent once
// the vendor has begun to answer that one, so that they can use its cache.

import { makePending } from "../../base/time/pending.ts";
import type { Surroundings } from "../../context/surroundings.ts";
import type { SessionEvent } from "../../contract/events/types.ts";
import type { Profile } from "../../tools/profiles/types.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

type ReadSurroundings = (profile: Profile, env: ExecutionEnvironment) => Surroundings | Promise<Surroundings>;

/** Events that mean that the answer has begun or will not come. */
const ANSWERED: ReadonlySet<SessionEvent["kind"]> = new Set([
  "assistant_text_start",
  "turn_end",
  "processing_end",
  "session_end",
]);

export class SharedStart {
  /** What all of them are told beyond their kind; "" for one that works alone. */
  readonly context: string;
  readonly #read = new Map<string, Surroundings | Promise<Surroundings>>();
  readonly #answered = makePending();
  #first: string | undefined;

  constructor(context: string) {
    this.context = context;
  }

  /** Reads the state of the project only once, even if an agent changes it before the last one starts. */
  surroundings(read: ReadSurroundings): ReadSurroundings {
    return (profile, env) => {
      const key = JSON.stringify([profile.provider ?? profile.id, profile.model, env.workingDirectory()]);
      const known = this.#read.get(key) ?? read(profile, env);
      this.#read.set(key, known);
      return known;
    };
  }

  /** Resolves when this agent may send its first request. */
  turn(agentId: string): Promise<void> | undefined {
    this.#first ??= agentId;
    return this.#first === agentId ? undefined : this.#answered.promise;
  }

  follow(agentId: string, { kind }: Pick<SessionEvent, "kind">): void {
    if (agentId === this.#first && ANSWERED.has(kind)) this.#answered.settle();
  }

  /** Called when the first agent has ended or never began. */
  endChild(agentId: string): void {
    if (agentId === this.#first) this.#answered.settle();
  }
}

/** Resolves when either happens; the caller checks the signal. */
export function firstOf(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    void turn.then(resolve);
    if (signal.aborted) resolve();
  });
}
