// Reads a page of a known site through its API: the first row that answers wins.

import { type CallScope, ToolFailure } from "../../../contract/tool.ts";
import type { WebServices } from "../services.ts";
import { SITES } from "./rows.ts";
import type { Site } from "./site.ts";
import { siteClient } from "./site-client.ts";

export interface SitePage {
  readonly site: string;
  readonly text: string;
}

/** Undefined if no row answers, so that the page itself must be read. */
export async function readSite(
  address: string,
  web: WebServices,
  scope: Pick<CallScope, "signal" | "services">,
  sites: readonly Site[] = SITES,
): Promise<SitePage | undefined> {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  for (const site of sites) {
    const text = await answerOf(site, url, web, scope);
    if (text !== undefined && text.trim() !== "") return { site: site.name, text: text.replaceAll("\r\n", "\n") };
  }
  return undefined;
}

async function answerOf(
  site: Site,
  url: URL,
  web: WebServices,
  scope: Pick<CallScope, "signal" | "services">,
): Promise<string | undefined> {
  try {
    return await site.read(url, siteClient(site, url, web, scope));
  } catch (error) {
    if (!(error instanceof ToolFailure) || scope.signal.aborted) throw error;
    return undefined;
  }
}
