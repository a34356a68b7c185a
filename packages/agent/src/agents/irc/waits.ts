// Which agent waits for which. A waiting agent goes on only when another agent does something. A wait that only the
// waiting agent itself could end, or no working agent at all, would last until its time limit, so we refuse it, or end
// it as soon as it becomes hopeless.

/**
 * An agent waits for a message from another (from any agent when absent), for the end of another's work, or until one
 * of the working agents makes room for it.
 */
export interface Wait {
  readonly agent: string;
  readonly of: string | undefined;
  readonly until: "message" | "end" | "turn";
  /** The agents that take up the room now. */
  readonly among?: (() => readonly string[]) | undefined;
}

export class Waits {
  readonly #waits = new Set<Wait>();
  /** Ids of the agents at work, waiting or not. */
  readonly #atWork: () => readonly string[];

  constructor(atWork: () => readonly string[]) {
    this.#atWork = atWork;
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
  }

  remove(wait: Wait): void {
    this.#waits.delete(wait);
  }

  isWaiting(agent: string): boolean {
    return [...this.#waits].some((wait) => wait.agent === agent);
  }

  /** Why this wait cannot end, whether or not it has begun; undefined if it can. */
  problemOf(wait: Wait): string | undefined {
    const atWork = this.#atWork();
    const all = this.#waits.has(wait) ? [...this.#waits] : [...this.#waits, wait];
    const canAct = ableToAct(atWork, all);
    if (sourcesOf(wait, atWork).some((id) => canAct.has(id))) return undefined;
    if (wait.of === undefined)
      return atWork.length <= 1
        ? "No other agent is at work, so no message can come."
        : "All other agents wait themselves, so no message can come.";
    return chainFrom(wait, all, atWork);
  }
}

/** All agents that can go on: those that do not wait, then those that wait for one of them. */
function ableToAct(atWork: readonly string[], waits: readonly Wait[]): Set<string> {
  const able = new Set<string>();
  for (let before = -1; before !== able.size; ) {
    before = able.size;
    for (const agent of atWork) {
      const own = waits.filter((wait) => wait.agent === agent);
      if (own.every((wait) => sourcesOf(wait, atWork).some((id) => able.has(id)))) able.add(agent);
    }
  }
  return able;
}

function sourcesOf({ agent, of, among }: Wait, atWork: readonly string[]): readonly string[] {
  if (among) return among();
  return of === undefined ? atWork.filter((id) => id !== agent) : [of];
}

/** `A waits for B, B waits for A.` */
function chainFrom(first: Wait, waits: readonly Wait[], atWork: readonly string[]): string {
  const steps: string[] = [];
  const seen = new Set<string>();
  let wait: Wait | undefined = first;
  while (wait && !seen.has(wait.agent)) {
    seen.add(wait.agent);
    const next: string | undefined = wait.of ?? sourcesOf(wait, atWork)[0];
    steps.push(`${wait.agent} waits for ${wordsFor(wait)}`);
    if (next !== undefined && !atWork.includes(next)) {
      steps.push(`${next} is not at work`);
      break;
    }
    wait = waits.find(({ agent }) => agent === next);
  }
  return `${steps.join(", ")}.`;
}

function wordsFor({ of = "a message", until, among }: Wait): string {
  if (until === "turn") return `its turn after ${among?.().join(", ")}`;
  return until === "end" ? `the end of ${of}` : of;
}
