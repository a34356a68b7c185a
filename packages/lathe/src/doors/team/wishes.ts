// What is said to the leader of a team at its local door: by `lathe team`, and by the workers.

import type { JsonObject } from "@lathe/llm";
import { Checker, exactly, flag, integer, listOf, object, oneOf, optional, type Static, text } from "@lathe/llm/schema";
import type { TeamState } from "./state.ts";

const wish = oneOf(
  /** Begins a team. `dryRun`: its state is written, and nothing is started. */
  object({
    kind: exactly("start"),
    tasks: listOf(text()),
    workers: optional(integer()),
    dryRun: flag(),
  }),
  /** Answered when the team has changed since, or at once without `after`. */
  object({ kind: exactly("state"), after: optional(integer()) }),
  object({ kind: exactly("stop") }),
);
export type TeamWish = Static<typeof wish>;
const WISH = new Checker(wish);

/** The answer to each of them. `revision`: counts changes. */
export interface TeamNews {
  readonly revision: number;
  /** Null: this session has led none. */
  readonly team: TeamState | null;
}

export const teamWish = (said: JsonObject): TeamWish | undefined =>
  WISH.wrongIn(said) === undefined ? (said as unknown as TeamWish) : undefined;
