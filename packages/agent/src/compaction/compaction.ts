// Compaction as a part of a session: middleware that makes room before a request, after an overflow and when asked to. What
// it did is an entry of the journal; the messages themselves stay there.

import type { CompactionDemand, Middleware, RequestInfo, SeamContext } from "../seams/types.ts";
import { type PlanSetup, planCompaction, type Wanted } from "./plan.ts";
import { presentContext } from "./present-context.ts";
import goOn from "./prompts/go-on.md";
import { prunable, pruneLimits } from "./prune.ts";
import { type CompactionSettings, roomIn } from "./settings.ts";
import { modelSummarizer, type Summarizer } from "./summarize.ts";

export interface CompactionOptions {
  /** Read before each use: a host may change it while the session lives. */
  readonly settings: () => CompactionSettings;
  /** A model call when absent. */
  readonly summarizer?: Summarizer | undefined;
  /** Said at the end of each summary: how the model reaches what it leaves out. */
  readonly pointer?: string | undefined;
}

/** Of one session; children share the middleware. */
interface Tries {
  /** Tokens of the context when making room last failed or freed too little. */
  stuckAt: number | undefined;
  /** Requests refused in a row. */
  overflows: number;
}

/** The context must have grown by this share of the window before another attempt. */
const GROWTH = 0.05;

export class Compaction {
  readonly #options: CompactionOptions;
  readonly #tries = new Map<string, Tries>();

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** For `session.compact`. `focus`: what the summary should pay attention to. */
  demand(wanted: Wanted): CompactionDemand {
    return {
      reason: wanted.trigger,
      summarize: (context) => planCompaction(this.#setup(), wanted, context),
    };
  }

  middleware(): Middleware {
    return {
      name: "compaction",
      beforeRequest: (info, context) => this.#beforeRequest(info, context),
      onOverflow: (info, context) => this.#onOverflow(info, context),
      beforeStop: (_answer, context) => this.#beforeStop(context),
    };
  }

  #setup(): PlanSetup {
    const { summarizer, pointer = "" } = this.#options;
    const settings = this.#options.settings();
    return { settings, ask: summarizer ?? modelSummarizer(settings.timeoutMs), pointer };
  }

  #triesOf({ sessionId }: SeamContext): Tries {
    const known = this.#tries.get(sessionId) ?? { stuckAt: undefined, overflows: 0 };
    this.#tries.set(sessionId, known);
    return known;
  }

  #beforeRequest(info: RequestInfo, context: SeamContext): ReturnType<NonNullable<Middleware["beforeRequest"]>> {
    const settings = this.#options.settings();
    if (!settings.enabled || settings.strategy === "off" || info.contextWindow <= 0) return undefined;
    const tries = this.#triesOf(context);
    const present = presentContext(info);
    if (present.tokens <= roomIn(present.window, present.prefixTokens, settings).threshold) {
      Object.assign(tries, { stuckAt: undefined, overflows: 0 });
      return undefined;
    }
    if (tries.stuckAt !== undefined && present.tokens < tries.stuckAt + GROWTH * present.window) return undefined;
    const prune = prunable(context.journal, present, pruneLimits(present.window));
    if (prune.length > 0) return { prune };
    // If it is still too full afterwards, another attempt now would end the same way.
    tries.stuckAt = present.tokens;
    if (settings.strategy === "shake") return undefined;
    return { compact: this.demand({ trigger: "threshold" }) };
  }

  #onOverflow(info: RequestInfo, context: SeamContext): ReturnType<NonNullable<Middleware["onOverflow"]>> {
    const settings = this.#options.settings();
    if (!settings.enabled || settings.strategy === "off") return undefined;
    const tries = this.#triesOf(context);
    const wanted = { trigger: info.incomplete ? "incomplete" : "overflow", earlierTries: tries.overflows } as const;
    tries.overflows += 1;
    return { compact: this.demand(wanted) };
  }

  /** The model says that it is done, with tasks open and no room left to go on: it may have lost the thread. */
  #beforeStop(context: SeamContext): ReturnType<NonNullable<Middleware["beforeStop"]>> {
    const settings = this.#options.settings();
    if (!settings.enabled || !settings.autoContinue || settings.strategy === "off") return undefined;
    if (context.carried().length === 0 || this.#triesOf(context).stuckAt !== undefined) return undefined;
    const { window, tokens, prefixTokens } = presentContext(context.nextRequest());
    if (window <= 0 || tokens <= roomIn(window, prefixTokens, settings).threshold) return undefined;
    return { continueWith: goOn.trim() };
  }
}
