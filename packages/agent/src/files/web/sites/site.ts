// A site whose pages are read through its API, as a row: the addresses that it handles, and the requests it makes.

import type { JsonValue } from "@lathe/llm";

export interface Site {
  /** Shown as the method with which a page was read. */
  readonly name: string;
  /** Origins of its API. They are covered by the user's approval of the address; the row can contact no others. */
  readonly api: readonly string[];
  /** The page as Markdown. Undefined if the API has nothing about the address; a failure also counts as no answer. */
  read(url: URL, ask: SiteClient): Promise<string | undefined> | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** What a row makes requests with. Every method throws if the response is not a success, or of another kind. */
export interface SiteClient {
  /** Whether the user has a token for this origin, where it is sent automatically. */
  hasToken(origin: string): boolean;
  json(url: string, headers?: Headers): Promise<JsonValue>;
  text(url: string, headers?: Headers): Promise<string>;
  html(url: string): Promise<string>;
  /** HTML as Markdown. `leftOut`: element names, and classes with a leading dot. */
  markdown(html: string, base: string, leftOut?: readonly string[]): Promise<string>;
}
