// A site whose pages are read through its own API, as a row: which addresses it knows, and what it asks for them.

import type { JsonValue } from "@lathe/llm";

export interface Site {
  /** Shown as the method that a page was read with. */
  readonly name: string;
  /** Origins of its API. They belong to the address that the user allowed; besides it, the row can ask no other. */
  readonly api: readonly string[];
  /** The page as Markdown. Undefined for an address that the API has nothing about; a failure counts as no answer, too. */
  read(url: URL, ask: SiteClient): Promise<string | undefined> | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** What a row asks with. Every method fails for an answer that is no success, or of another kind. */
export interface SiteClient {
  /** Whether the user has a token for this origin; it is sent there without being asked for. */
  hasToken(origin: string): boolean;
  json(url: string, headers?: Headers): Promise<JsonValue>;
  text(url: string, headers?: Headers): Promise<string>;
  html(url: string): Promise<string>;
  /** HTML as Markdown. `leftOut`: names of elements, and classes with a dot before them. */
  markdown(html: string, base: string, leftOut?: readonly string[]): Promise<string>;
}
