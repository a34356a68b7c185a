// How a row queries the API of its site: through the gate, only its own hosts, each with its own token.

import { type CallScope, ToolFailure } from "../../../contract/tool.ts";
import { answerFailure, fetchJson } from "../fetch-json.ts";
import { type FetchedPage, fetchPage } from "../fetch-page.ts";
import type { WebGate } from "../gate/types.ts";
import type { WebServices } from "../services.ts";
import { decodePage, htmlText, isHtml, isText } from "../to-markdown.ts";
import type { Site, SiteClient } from "./site.ts";

const LIMITS = { maxBytes: 20 << 20, maxRedirects: 3, timeoutMs: 10_000 };

type Scope = Pick<CallScope, "signal" | "services">;

export function siteClient(site: Site, page: URL, { gate, tokens = {} }: WebServices, scope: Scope): SiteClient {
  const own = onlyTo([page.origin, ...site.api], gate);
  const options = (url: string, headers = {}) => {
    const token = tokens[new URL(url).origin];
    return { ...LIMITS, headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) } };
  };
  const load = async (url: string, headers?: Readonly<Record<string, string>>): Promise<FetchedPage> => {
    const answer = await fetchPage(own, url, options(url, headers), scope.signal);
    if (answer.status >= 400 || answer.truncated) throw new ToolFailure(`${url} answered with ${answer.status}.`);
    return answer;
  };
  return {
    hasToken: (origin) => tokens[origin] !== undefined,
    async json(url, headers) {
      const answer = await fetchJson(own, url, options(url, headers), scope.signal);
      if (answer.status >= 400 || answer.value === undefined) throw answerFailure(answer);
      return answer.value;
    },
    async text(url, headers) {
      const answer = await load(url, { accept: "text/plain,*/*;q=0.5", ...headers });
      const isPlain = isText(answer) || answer.mediaType.endsWith(".diff");
      if (isHtml(answer) || !isPlain) throw new ToolFailure(`${url} is ${answer.mediaType}, not plain text.`);
      return decodePage(answer);
    },
    async html(url) {
      const answer = await load(url, { accept: "text/html" });
      if (!isHtml(answer)) throw new ToolFailure(`${url} is ${answer.mediaType}, not HTML.`);
      return decodePage(answer);
    },
    markdown: async (html, base, leftOut) => (await htmlText(html, base, scope, leftOut)).text,
  };
}

/** Redirects must not lead elsewhere either. */
function onlyTo(origins: readonly string[], gate: WebGate): WebGate {
  return {
    ...gate,
    request(request, signal) {
      const { origin } = request.url;
      if (!origins.includes(origin)) throw new ToolFailure(`${origin} is not a host of the site.`);
      return gate.request(request, signal);
    },
  };
}
