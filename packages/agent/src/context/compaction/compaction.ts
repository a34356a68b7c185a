// Compaction as a part of a session: middleware that makes room before a request, after an overflow and on demand. A
// compaction is a journal entry; the messages themselves stay in the journal. Everything beyond the first check is
// loaded only when there is something to do.

import type {
  CompactionDemand,
  Middleware,
  OverflowVerdict,
  RequestInfo,
  RequestVerdict,
  SeamContext,
  StopVerdict,
} from "../../contract/seams/types.ts";
import goOn from "./prompts/go-on.md";
import { type CompactionSettings, thresholdOf } from "./settings.ts";
import type { Summarizer } from "./summarize.ts";
import type { WantedCompaction } from "./wanted.ts";

/** How a session makes room. */
export interface CompactionOptions {
  /** Read before each use, because a host may change the settings while the session lives. */
  readonly settings: () => CompactionSettings;
  /** A model call when absent. */
  readonly summarizer?: Summarizer | undefined;
  /** The last line of each summary: how the model can reach what the summary omits. */
  readonly pointer?: string | undefined;
}

/** The attempts of one session; needed because children share the middleware. */
interface Tries {
  /** Tokens of the context when a compaction last failed or freed too little. */
  stuckAt: number | undefined;
  /** How many requests in a row were refused. */
  overflows: number;
}

/** The context must grow by this share of the window before another attempt. */
const GROWTH = 0.05;

const tokensOf = ({ contextTokens, leastTokens = 0 }: Pick<RequestInfo, "contextTokens" | "leastTokens">): number =>
  Math.max(contextTokens, leastTokens);

/**
 * Makes room in the context of a session: add its `middleware` to the session, and pass its `demand` to
 * `session.compact`.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  readonly #tries = new Map<string, Tries>();

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** The argument for `session.compact`. */
  demand(wanted: WantedCompaction): CompactionDemand {
    const { settings, summarizer, pointer = "" } = this.#options;
    return {
      reason: wanted.trigger,
      summarize: async (context, wishes) => {
        const { planCompaction } = await import("./plan.ts");
        return planCompaction({ settings: settings(), summarizer, pointer, wishes }, wanted, context);
      },
    };
  }

  middleware(): Middleware {
    return {
      name: "compaction",
      beforeRequest: (info, context) => (this.isFull(info) ? this.#makeRoom(info, context) : this.#fits(context)),
      onOverflow: (info, context) => this.#onOverflow(info, context),
      beforeStop: (_answer, context) => this.#beforeStop(context),
    };
  }

  /** Whether room must be made before the next request. */
  isFull(info: Pick<RequestInfo, "contextTokens" | "leastTokens" | "contextWindow">): boolean {
    const settings = this.#options.settings();
    if (!settings.enabled || settings.strategy === "off" || info.contextWindow <= 0) return false;
    return tokensOf(info) > thresholdOf(info.contextWindow, settings);
  }

  #triesOf({ sessionId }: SeamContext): Tries {
    const known = this.#tries.get(sessionId) ?? { stuckAt: undefined, overflows: 0 };
    this.#tries.set(sessionId, known);
    return known;
  }

  #fits({ sessionId }: SeamContext): undefined {
    this.#tries.delete(sessionId);
  }

  async #makeRoom(info: RequestInfo, context: SeamContext): Promise<RequestVerdict> {
    const tries = this.#triesOf(context);
    const { contextWindow } = info;
    const contextTokens = tokensOf(info);
    if (tries.stuckAt !== undefined && contextTokens < tries.stuckAt + GROWTH * contextWindow) return undefined;
    const { prunable, wasRestored } = await import("./prune.ts");
    // The user restored the full history, so it stays as long as it can be sent.
    if (wasRestored(context.journal)) return undefined;
    const { strategy } = this.#options.settings();
    const canSummarize = strategy === "context-full" || strategy === "snapcompact";
    const prune = prunable(context.journal, info, canSummarize);
    if (prune.length > 0) return { prune };
    // If the context is still too full after this, another attempt now would end the same way.
    tries.stuckAt = contextTokens;
    if (!canSummarize) return undefined;
    return { compact: this.demand({ trigger: "threshold" }) };
  }

  async #onOverflow({ incomplete }: RequestInfo, context: SeamContext): Promise<OverflowVerdict> {
    const settings = this.#options.settings();
    if (!settings.enabled || settings.strategy === "off") return undefined;
    const tries = this.#triesOf(context);
    const trigger = incomplete ? "incomplete" : "overflow";
    return { compact: this.demand({ trigger, earlierTries: tries.overflows++ }) };
  }

  /** The model says that it is done, but tasks are open and there is no room left: it may have lost the thread. */
  async #beforeStop(context: SeamContext): Promise<StopVerdict> {
    if (!this.#options.settings().autoContinue || context.carriedTexts().length === 0) return undefined;
    if (this.#tries.get(context.sessionId)?.stuckAt !== undefined || !this.isFull(context.nextRequest()))
      return undefined;
    return { continueWith: goOn.trim() };
  }
}
