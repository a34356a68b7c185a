// DuckDuckGo without a key: the page for browsers without scripts, and the lite page if that fails. The pages are not
// fully parsed, because only the links and excerpts of results matter.

import type { SearchAnswer, SearchSource } from "@lathe/agent/files";
import { countFor, type Engine, EngineFailure, isWebAddress, plainText } from "../engine.ts";

const RANGE = { day: "d", week: "w", month: "m", year: "y" } as const;

export const duckduckgo: Engine = {
  async search(query, { baseUrl, otherUrl, send }) {
    const form = { q: query.query, kl: "us-en", ...(query.recency === undefined ? {} : { df: RANGE[query.recency] }) };
    const headers = { accept: "text/html" };
    const most = countFor(query, { most: 20 });
    try {
      return foundIn((await send(`${baseUrl}/html/`, { headers, form })).text, most);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return foundIn((await send(`${otherUrl}/lite/`, { headers, form })).text, most);
    }
  },
};

function foundIn(html: string, most: number): SearchAnswer {
  if (!/<\/html>/i.test(html)) throw new EngineFailure("its page was cut off");
  if (/anomaly-modal|challenge-form/.test(html))
    throw new EngineFailure("DuckDuckGo takes this machine for a bot and asks for a CAPTCHA");
  // The part from each result's link to the next one, which contains its excerpt.
  const results = html.split(/(?=<a\b[^>]*class=["'](?:result__a|result-link)["'])/).slice(1);
  if (results.length === 0 && !/no-results|No results/.test(html)) throw new EngineFailure("its page has changed");
  return { sources: results.flatMap(sourceIn).slice(0, most) };
}

function sourceIn(part: string): SearchSource[] {
  const tag = /^<a\b[^>]*>/.exec(part)?.[0] ?? "";
  const href = /\bhref=["']([^"']+)["']/.exec(tag)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const url = targetOf(href);
  // Links of advertisements stay on the engine's own host.
  if (url === undefined || /(?:^|\.)duckduckgo\.com$/.test(new URL(url).hostname)) return [];
  const title = plainText(part.slice(tag.length).split("</a>", 1)[0] ?? "");
  const excerpt = /class=["']result(?:__|-)snippet["'][^>]*>([\s\S]*?)<\/(?:a|td|div)>/.exec(part)?.[1] ?? "";
  return [{ title: title || url, url, snippet: plainText(excerpt) }];
}

/** Results link to a redirect page; the target address is part of the link. */
function targetOf(href: string): string | undefined {
  if (!URL.canParse(href, "https://duckduckgo.com")) return undefined;
  const link = new URL(href, "https://duckduckgo.com");
  const target = link.searchParams.get("uddg") ?? link.href;
  return isWebAddress(target) ? target : undefined;
}
