// Lets another model answer while the chosen one is overloaded or out of quota. The user sees a notice each time, and
// the next input goes to back to the chosen model.

import type { FailureKind, Middleware, RequestInfo, SeamContext } from "@lathe/agent";
import { isThinkingLevel, messageOf } from "@lathe/llm";
import type { ModelChoice, Models } from "./models.ts";

export interface FallbackParts {
  /** The fallback models, in the order they are tried. */
  readonly selectors: readonly string[];
  readonly models: Models;
  readonly current: () => ModelChoice;
  /** The session's effort, which a fallback does not change. */
  readonly effort: () => string | undefined;
  readonly switchTo: (choice: ModelChoice, role: string, reason: string) => Promise<void>;
  /** Set if the run has a cost limit, which needs a known price. */
  readonly needsPrice: boolean;
}

/** Failures that another model may not share, in words. */
const REASONS: Readonly<Partial<Record<FailureKind, string>>> = {
  overloaded: "overloaded",
  rate_limit: "rate limit reached",
  quota: "quota used up",
};

export function modelFallback(parts: FallbackParts): Middleware {
  const fallback = new Fallback(parts);
  // Subagents share these hooks, but we must not change their models.
  const isChild = ({ agentId }: SeamContext): boolean => agentId !== undefined;
  return {
    name: "model fallback",
    onInput: async (_input, context) => {
      if (!isChild(context)) await fallback.end();
      return undefined;
    },
    beforeRequest: ({ request }, context) => {
      const effort = isChild(context) ? undefined : fallback.effort;
      return effort === undefined ? undefined : { request: { ...request, reasoningEffort: effort } };
    },
    onFailure: async ({ failure, request }, context) => {
      const reason = REASONS[failure.kind];
      if (reason === undefined || isChild(context)) return undefined;
      return (await fallback.begin(reason, request, context)) ? { retry: true } : undefined;
    },
  };
}

class Fallback {
  readonly #parts: FallbackParts;
  /** Models that failed during this input. */
  readonly #failed = new Set<string>();
  /** The model to return to, and the one that answers in the meantime. */
  #chosen: ModelChoice | undefined;
  #standIn: ModelChoice | undefined;
  #effort: string | undefined;

  constructor(parts: FallbackParts) {
    this.#parts = parts;
  }

  /** The effort in the fallback's selector. It is not part of the session's state: the chosen model keeps its own. */
  get effort(): string | undefined {
    return this.#isAnswering() ? this.#effort : undefined;
  }

  async begin(reason: string, request: RequestInfo, context: SeamContext): Promise<boolean> {
    const { selectors, current, effort, switchTo } = this.#parts;
    const from = current();
    if (!this.#isAnswering()) this.#chosen = from;
    this.#failed.add(nameOf(from));
    for (const selector of selectors.filter((one) => !this.#failed.has(one))) {
      try {
        const choice = await this.#usableChoice(selector, request);
        if (!choice) continue;
        const standIn = withLevel(choice, effort());
        await switchTo(standIn, "temporary", `${nameOf(from)}: ${reason}`);
        this.#standIn = standIn;
        this.#effort = namesEffort(selector) ? choice.effort : undefined;
      } catch (error) {
        this.#failed.add(selector);
        context.warn(`retry.fallbackModels: ${selector} is not used: ${messageOf(error)}`, "model_fallback");
        continue;
      }
      context.warn(
        `${nameOf(from)}: ${reason}. ${nameOf(this.#standIn)} answers until your next message.`,
        "model_fallback",
      );
      return true;
    }
    return false;
  }

  /** Returns to the chosen model, unless the user has chosen another one in the meantime. */
  async end(): Promise<void> {
    const { effort, switchTo } = this.#parts;
    this.#failed.clear();
    const chosen = this.#isAnswering() ? this.#chosen : undefined;
    this.#standIn = undefined;
    if (chosen) await switchTo(withLevel(chosen, effort()), "temporary", "back to the chosen model");
  }

  #isAnswering(): boolean {
    return this.#standIn !== undefined && this.#parts.current() === this.#standIn;
  }

  async #usableChoice(selector: string, { contextTokens }: RequestInfo): Promise<ModelChoice | undefined> {
    const { models, needsPrice } = this.#parts;
    const choice = await models.find(selector);
    if (this.#failed.has(nameOf(choice)) || !models.registry.isAvailable(choice.provider)) return undefined;
    const { contextWindow = 0, cost } = choice.info ?? {};
    if (contextWindow > 0 && contextWindow <= contextTokens) return undefined;
    return needsPrice && cost === undefined ? undefined : choice;
  }
}

const namesEffort = (selector: string): boolean =>
  selector.startsWith("lathe/") || isThinkingLevel(selector.slice(selector.lastIndexOf(":") + 1));

function withLevel({ effort: _, ...choice }: ModelChoice, level: string | undefined): ModelChoice {
  return level === undefined ? choice : { ...choice, effort: level };
}

const nameOf = ({ provider, id }: ModelChoice): string => `${provider}/${id}`;
