// A page of a site with its API's answers, in the form that the vendor documents; the content is made up.

export interface SiteCase {
  readonly site: string;
  readonly url: string;
  /** By address. A text is JSON unless its type is named. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export const typed = (type: string, body: string) => ({ type, body }) as const;
