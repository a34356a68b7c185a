// The interface of an engine (a function from a query to an answer, with the means to send requests) and what several
// engines share.

import { ToolFailure } from "@lathe/agent/contract";
import type { JsonAnswer, Recency, SearchAnswer, SearchQuery, SearchSource } from "@lathe/agent/files";
import type { JsonObject, JsonValue } from "@lathe/llm";
import { textIn } from "./json-parts.ts";

/** One request of an engine. */
export interface EngineRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly json?: JsonObject;
  readonly form?: Readonly<Record<string, string>>;
}

/** What an engine works with. */
export interface EngineMeans {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly otherUrl: string;
  readonly key: string;
  /** Whether the key is a bearer token, for engines that also accept other keys. */
  readonly isBearer: boolean;
  readonly model: string;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly searxng: SearxngSettings;
  /** Sends a request. A status of 400 or more is an EngineFailure. */
  send(url: string, request?: EngineRequest): Promise<JsonAnswer>;
  /** Sends a request and parses the answer as JSON; anything else is an EngineFailure. */
  json(url: string, request?: EngineRequest): Promise<JsonObject>;
}

export interface SearxngSettings {
  readonly categories: string;
  readonly language: string;
  readonly username: string;
  readonly password: string;
}

export interface Engine {
  /** How long it may take; 30 seconds if absent. */
  readonly timeoutMs?: number;
  search(query: SearchQuery, means: EngineMeans): Promise<SearchAnswer>;
}

/** An engine gave no answer; `status` is its server's. */
export class EngineFailure extends ToolFailure {
  readonly status: number;
  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

export const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

/** How many results to request. */
export function countFor(
  { limit, numSearchResults }: SearchQuery,
  { usual = 10, least = 1, most }: { usual?: number; least?: number; most: number },
): number {
  return Math.min(most, Math.max(least, numSearchResults ?? limit ?? usual));
}

const DAYS: Readonly<Record<Recency, number>> = { day: 1, week: 7, month: 30, year: 365 };
const DAY_MS = 86_400_000;

/** The first day of the period, as YYYY-MM-DD. */
export const firstDay = (recency: Recency, now: number): string =>
  new Date(now - DAYS[recency] * DAY_MS).toISOString().slice(0, 10);

/** The query as a sentence, for engines in which a model decides what to search for. */
export const wordsFor = ({ query, recency }: SearchQuery): string =>
  recency === undefined ? query : `${query}\n\nOnly what was published in the past ${recency}.`;

/** The fields of a source in an engine's answer; of several names, the first with a value counts. */
interface SourceNames {
  readonly url?: readonly string[];
  readonly title?: readonly string[];
  readonly snippet: readonly string[];
  readonly date?: readonly string[];
}

export function sourcesOf(
  list: readonly JsonValue[],
  { url = ["url"], title = ["title"], snippet, date = [] }: SourceNames,
  now: () => number,
): SearchSource[] {
  return list.flatMap((one) => {
    const address = textIn(one, ...url);
    if (address === undefined || !isWebAddress(address)) return [];
    const published = textIn(one, ...date);
    return [
      {
        title: plainText(textIn(one, ...title) ?? address),
        url: address,
        snippet: plainText(textIn(one, ...snippet) ?? ""),
        ...(published === undefined ? {} : { age: ageOf(published, now()) }),
      },
    ];
  });
}

export const isWebAddress = (address: string): boolean =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

/** The age of a date; any other text stays as it is. */
export function ageOf(published: string, now: number): string {
  const time = /\d{4}/.test(published) ? Date.parse(published) : Number.NaN;
  if (Number.isNaN(time)) return published.replace(/\s+/g, " ").slice(0, 40);
  const days = Math.floor((now - time) / DAY_MS);
  if (days < 1) return "today";
  if (days < 60) return days === 1 ? "1 day ago" : `${days} days ago`;
  return days < 730 ? `${Math.floor(days / 30)} months ago` : `${Math.floor(days / 365)} years ago`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The text without the tags and entities with which engines highlight words of the query. */
export function plainText(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, "")
    .replace(/&(#x?[\da-f]{1,6}|[a-z]{2,8});/gi, (whole, name: string) => {
      if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : "\ufffd";
    })
    .replace(/\s+/g, " ")
    .trim();
}
