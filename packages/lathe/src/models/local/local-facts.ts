// Facts about the models of local servers, learnt by using them. They are kept in cache/local-models.json, next to the
// servers' own answers.

import { join } from "node:path";
import { Checker, flag, integer, object, optional } from "@lathe/llm/schema";
import { readJsonFile, updateJsonFile } from "../../platform/home/json-file.ts";

/** Facts about one model at one server. Times are milliseconds since 1970. */
export interface LearnedModel {
  /** When the server refused tools. */
  readonly refusedTools?: number;
  /** The window that the server stated when it refused a request as too long, and the window assumed before. */
  readonly window?: { readonly tokens: number; readonly assumed: number; readonly stated: boolean };
}

/** A key that cannot be the name of a provider. */
const KEY = "#learned";
/** The server may be restarted with other options, so after this time we offer it tools again. */
const DAY_MS = 24 * 60 * 60_000;

const LEARNED = new Checker(
  object({
    refusedTools: optional(integer()),
    window: optional(object({ tokens: integer({ minimum: 1 }), assumed: integer(), stated: flag() })),
  }),
);

const localModelsFile = (cache: string): string => join(cache, "local-models.json");

/** The facts known in one run. The file is read on first use. */
export class LocalFacts {
  readonly #cache: string;
  #facts: Map<string, LearnedModel> | undefined;
  readonly #notices = new Set<string>();
  readonly #said = new Set<string>();

  constructor(cache: string) {
    this.#cache = cache;
  }

  /** Facts about the model `provider/id`. */
  of(name: string): LearnedModel | undefined {
    this.#facts ??= readLearned(this.#cache);
    return this.#facts.get(name);
  }

  /** Remembers the fact for this run and for later ones. */
  async learn(name: string, fact: LearnedModel): Promise<void> {
    const known = this.of(name);
    this.#facts?.set(name, { ...known, ...fact });
    await keep(this.#cache, name, fact);
  }

  /** Queues a message for the user, which the next session shows. */
  notice(message: string): void {
    this.#notices.add(message);
  }

  /** Returns the queued messages, each only once. */
  takeNotices(): readonly string[] {
    const notices = [...this.#notices].filter((message) => !this.#said.has(message));
    this.#notices.clear();
    for (const message of notices) this.#said.add(message);
    return notices;
  }
}

/** An unreadable file counts as empty. */
function readLearned(cache: string): Map<string, LearnedModel> {
  return new Map(
    Object.entries(learnedIn(readFile(cache))).flatMap(([name, value]) =>
      LEARNED.fits(value) ? [[name, value as LearnedModel] as const] : [],
    ),
  );
}

/** If the home directory cannot be written, the run continues: this is only a memory. */
async function keep(cache: string, name: string, fact: LearnedModel): Promise<void> {
  await updateJsonFile(localModelsFile(cache), (value) => {
    const all = learnedIn(value);
    return { ...recordOf(value), [KEY]: { ...all, [name]: { ...recordOf(all[name]), ...fact } } };
  }).catch(() => undefined);
}

export const refusesTools = ({ refusedTools }: LearnedModel, now: number): boolean =>
  refusedTools !== undefined && now - refusedTools < DAY_MS && refusedTools <= now;

/** The learnt window, as long as the server states the same window as then. */
export function learnedWindow({ window }: LearnedModel, assumed: number): number | undefined {
  return window !== undefined && window.assumed === assumed && window.tokens < assumed ? window.tokens : undefined;
}

function readFile(cache: string): unknown {
  try {
    return readJsonFile(localModelsFile(cache));
  } catch {
    return undefined;
  }
}

const learnedIn = (value: unknown): Record<string, unknown> => recordOf(recordOf(value)[KEY]);

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
