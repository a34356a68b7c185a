// Measures how full the model's context is: the vendor's own count of the last request, if there is one, plus a quarter
// of the characters added since.

import { billedOutputTokens, type Message, promptTokens, type Usage } from "@lathe/llm";
import { charactersOf } from "../context/message-size.ts";
import { mostTokensIn, mostTokensOf } from "../context/most-tokens.ts";
import type { PrefixTexts, SessionPrefix } from "../context/prefix/prefix.ts";
import type { Journal } from "../record/journal/journal.ts";
import type { Profile } from "../tools/profiles/types.ts";

const WARN_AT = 80;
const WARN_STEP = 5;
const CHARS_PER_TOKEN = 4;
const CAUTION = { estimated: 1.6, counted: 1.05 };
/** No text has more characters per token than this. Some servers report only a few tokens, whatever we send. */
const MOST_CHARS_PER_TOKEN = 12;

/** After one of these entries, the vendor's last count no longer describes the history. */
const UNCOUNTED: ReadonlySet<string> = new Set(["compaction", "prune", "model_change", "branch_summary"]);

/** What the meter reads, and where it sends warnings. */
interface Measured {
  readonly prefix: Pick<SessionPrefix, "characters" | "texts">;
  readonly journal: Pick<Journal, "context" | "leaf" | "meta" | "entry">;
  readonly profile: Pick<Profile, "contextWindowSize" | "model">;
  warn(message: string, code: string): void;
}

export class ContextMeter {
  readonly #core: Measured;
  /** Characters of the history; undefined until a reopened journal is first measured. */
  #characters: number | undefined;
  /** Tokens of the last answer and its request. */
  #measured: number | undefined;
  #sinceMeasured = 0;
  #warnedStep = 0;
  /** The highest possible token count of the next prompt, without the messages that have not been added to it yet. */
  #most: MostCounted | undefined;
  #uncounted: Message[] = [];

  constructor(core: Measured) {
    this.#core = core;
  }

  addMessage(message: Message): void {
    if (this.#most) this.#uncounted.push(message);
    if (this.#characters === undefined) return;
    const size = charactersOf(message);
    this.#characters += size;
    this.#sinceMeasured += size;
  }

  recordUsage(usage: Usage, provider: string): void {
    const tokens = promptTokens(usage, provider) + billedOutputTokens(usage, provider);
    if (tokens <= 0) return;
    this.#measured = tokens;
    this.#sinceMeasured = 0;
    this.#most = { tokens, model: this.#core.profile.model, texts: this.#core.prefix.texts };
    this.#uncounted = [];
  }

  /** Forgets all counts, because the history was rebuilt. */
  reset(): void {
    this.#characters = undefined;
    this.#measured = undefined;
    this.#most = undefined;
  }

  /**
   * The most tokens that the next prompt may have: the vendor's last count, plus a cautious count of everything since.
   * If the model has not answered yet, everything is counted cautiously.
   */
  mostTokens(): number {
    const { prefix, profile, journal } = this.#core;
    if (this.#most?.model !== profile.model) {
      this.#most = { tokens: mostTokensOfPrefix(prefix.texts), model: profile.model, texts: prefix.texts };
      this.#uncounted = [...journal.context.messages];
    }
    const most = this.#most!;
    if (most.texts !== prefix.texts) {
      most.tokens += Math.max(0, mostTokensOfPrefix(prefix.texts) - mostTokensOfPrefix(most.texts));
      most.texts = prefix.texts;
    }
    for (const message of this.#uncounted) most.tokens += mostTokensOf(message);
    this.#uncounted = [];
    return most.tokens;
  }

  /**
   * Leaves room for estimation errors: code and digits have fewer characters per token. Counts from the vendor get a
   * smaller margin.
   */
  cautiousTokens(): number {
    const tokens = this.tokens();
    const counted = this.#measured ?? 0;
    return Math.ceil(CAUTION.counted * counted + CAUTION.estimated * (tokens - counted));
  }

  tokens(): number {
    const characters = this.#characters ?? this.#measureAll();
    if (this.#measured !== undefined) return this.#measured + Math.ceil(this.#sinceMeasured / CHARS_PER_TOKEN);
    return Math.ceil((characters + this.#core.prefix.characters) / CHARS_PER_TOKEN);
  }

  leastTokens(): number {
    const characters = this.#characters ?? this.#measureAll();
    return Math.ceil((characters + this.#core.prefix.characters) / MOST_CHARS_PER_TOKEN);
  }

  /** Measures the whole history and returns its characters. */
  #measureAll(): number {
    const { messages } = this.#core.journal.context;
    const sizes = messages.map(charactersOf);
    this.#characters = sum(sizes);
    const counted = this.#measured === undefined ? this.#lastCount() : undefined;
    if (counted) {
      this.recordUsage(counted.usage, counted.provider);
      this.#sinceMeasured = sum(sizes.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
    }
    return this.#characters;
  }

  /** The count with the last answer, unless the history was shortened or the model changed after it. */
  #lastCount(): { readonly usage: Usage; readonly provider: string } | undefined {
    const { journal } = this.#core;
    for (let id = journal.leaf; id !== null; ) {
      const meta = journal.meta(id);
      if (!meta || UNCOUNTED.has(meta.type)) return undefined;
      const entry = meta.type === "message" ? journal.entry(id) : undefined;
      if (entry?.type === "message" && entry.message.role === "assistant") {
        const { usage, provider } = entry;
        return usage && provider !== undefined ? { usage, provider } : undefined;
      }
      id = meta.parentId;
    }
    return undefined;
  }

  /** Called before each request. Warns above 80 %, then once for every further 5 points. */
  check(): void {
    const window = this.#core.profile.contextWindowSize;
    if (window <= 0) return;
    const percent = (100 * this.tokens()) / window;
    const step = percent < WARN_AT ? 0 : Math.floor(percent / WARN_STEP) * WARN_STEP;
    if (step > this.#warnedStep) {
      this.#core.warn(`Context usage at ~${Math.round(percent)}% of context window`, "context_usage");
    }
    this.#warnedStep = step;
  }
}

interface MostCounted {
  tokens: number;
  readonly model: string;
  texts: PrefixTexts | undefined;
}

/** Tokens that vendors add themselves if there are tools. */
const OF_TOOLS = 600;

function mostTokensOfPrefix(texts: PrefixTexts | undefined): number {
  if (!texts) return 0;
  const { systemPrompt, environment, tools } = texts;
  const ofTools = tools.length === 0 ? 0 : OF_TOOLS + mostTokensIn(JSON.stringify(tools));
  return mostTokensIn(systemPrompt) + mostTokensIn(environment) + ofTools;
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
