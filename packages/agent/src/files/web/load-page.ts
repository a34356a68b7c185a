// Loads a web page in its most readable form: through the API of its site, as Markdown if the site offers it, or as
// text extracted from the page.

import { parseJson } from "@lathe/llm";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { formatOfName } from "../target/format-of-name.ts";
import { imageType } from "../target/images.ts";
import { feedText } from "./feed.ts";
import { type FetchedPage, type FetchLimits, fetchPage, secondsText } from "./fetch-page.ts";
import type { WebServices } from "./services.ts";
import { readSite } from "./sites/read-site.ts";
import { decodePage, isHtml, isText, pageText } from "./to-markdown.ts";

const LIMITS: FetchLimits = { maxBytes: 20 << 20, maxRedirects: 5, timeoutMs: 30_000 };
/** A page with less text is probably rendered by scripts, so we look for other forms of it. */
const LEAST_TEXT = 200;

export interface LoadedPage extends Rendered {
  /** The address after redirects. */
  readonly url: string;
  /**
   * The base of its links; absent for a loopback page, which shows no links because the session may have written it.
   */
  readonly base?: string | undefined;
  readonly status: number;
  readonly mediaType: string;
  readonly bytes: number;
  readonly truncated: boolean;
  /** The site whose API provided it. */
  readonly site?: string | undefined;
}

interface Rendered {
  /** How its text was obtained. */
  readonly method: string;
  readonly text?: string | undefined;
  readonly image?: { readonly bytes: Uint8Array; readonly mediaType: string } | undefined;
  readonly notes?: readonly string[] | undefined;
  /** The rest of the page was left out. */
  readonly isMainPart?: boolean | undefined;
}

interface Means {
  readonly web: WebServices;
  readonly scope: CallScope;
  fetch(url: string): Promise<FetchedPage>;
}

export interface WantedPage {
  readonly url: string;
  /** As sent by the server. */
  readonly isRaw: boolean;
  readonly limits?: Partial<FetchLimits> | undefined;
}

/** The time limit covers everything: fetching and extracting the text. */
export async function loadPage(wanted: WantedPage, web: WebServices, scope: CallScope): Promise<LoadedPage> {
  const { timeoutMs } = { ...LIMITS, ...wanted.limits };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  let isThere = false;
  const onPage = (): void => {
    isThere = true;
  };
  try {
    return await load(wanted, web, { ...scope, signal: AbortSignal.any([scope.signal, late.signal]) }, onPage);
  } catch (error) {
    if (scope.signal.aborted || !late.signal.aborted || !(error instanceof ToolFailure)) throw error;
    const what = isThere ? "took too long to convert: more than" : "did not answer in";
    throw new ToolFailure(`${wanted.url} ${what} ${secondsText(timeoutMs)}.`);
  } finally {
    clearTimeout(timer);
  }
}

async function load(
  { url: address, isRaw, limits }: WantedPage,
  web: WebServices,
  scope: CallScope,
  onPage: () => void,
): Promise<LoadedPage> {
  const found = isRaw ? undefined : await readSite(address, web, scope);
  if (found) {
    const { site, text } = found;
    scope.paths.pages.set(address, address);
    const bytes = Buffer.byteLength(text);
    return {
      url: address,
      base: address,
      status: 200,
      mediaType: "text/markdown",
      bytes,
      truncated: false,
      method: site,
      site,
      text,
    };
  }
  const fetch = (url: string): Promise<FetchedPage> =>
    fetchPage(web.gate, url, { ...LIMITS, ...web.fetch, ...limits }, scope.signal);
  const page = await fetch(address);
  onPage();
  const base = page.isLoopback ? undefined : page.url;
  scope.paths.pages.set(address, base);
  const rendered = await (isRaw ? raw(page) : render(page, { fetch, web, scope }));
  const { url, status, mediaType, body, truncated } = page;
  return { url, base, status, mediaType, bytes: body.length, truncated, ...rendered };
}

async function raw(page: FetchedPage): Promise<Rendered> {
  return { method: isHtml(page) ? "raw-html" : "raw", text: decodePage(page) };
}

async function render(page: FetchedPage, means: Means): Promise<Rendered> {
  if (page.status >= 400) {
    const { text } = isText(page) ? await pageText(page, means.scope) : { text: "" };
    return { method: "failed", text };
  }
  const picture = imageType(page.body);
  if (picture) return { method: "image", image: { bytes: page.body, mediaType: picture } };
  const document = await asDocument(page, means);
  if (document) return document;
  if (/json/.test(page.mediaType)) return { method: "json", text: indentText(decodePage(page)) };
  if (/(?:rss|atom)\+xml|^(?:text|application)\/xml$/.test(page.mediaType)) {
    const feed = feedText(decodePage(page));
    return feed === undefined ? { method: "text", text: decodePage(page) } : { method: "feed", text: feed };
  }
  if (page.mediaType === "text/markdown") return { method: "content-negotiation", text: decodePage(page) };
  if (!isHtml(page)) return { method: "text", ...(await pageText(page, means.scope)) };
  return renderHtml(page, means);
}

/** A document is read like a file of its format. */
async function asDocument({ url, mediaType, body }: FetchedPage, { scope }: Means): Promise<Rendered | undefined> {
  const format = formatOfName(new URL(url).pathname, mediaType, scope.services.formats ?? []);
  if (!format || (format.recognises && !format.recognises(body.subarray(0, 64)))) return undefined;
  const file = {
    path: url,
    real: url,
    size: body.length,
    bytes: async (range?: { readonly start: number; readonly end: number }) =>
      range ? body.subarray(range.start, range.end) : body,
    scope,
  };
  const content = await format.read(file, { inner: "", separator: "" });
  if (content.kind === "image") return { method: "image", image: content };
  return { method: "markit", text: content.text };
}

async function renderHtml(page: FetchedPage, means: Means): Promise<Rendered> {
  const html = decodePage(page);
  const markdown = await otherForm(alternate(html, page.url, /^text\/(?:x-)?markdown$/), means);
  if (markdown !== undefined) return { method: "alternate-markdown", text: markdown };
  const { text, isMainPart } = await pageText(page, means.scope);
  if (text.trim().length >= LEAST_TEXT) return { method: "html", text, isMainPart };
  const url = new URL(page.url);
  const suffixed = url.pathname.endsWith("/") ? undefined : `${url.origin}${url.pathname}.md${url.search}`;
  const suffix = await otherForm(suffixed, means);
  if (suffix !== undefined) return { method: "md-suffix", text: suffix };
  const feedUrl = alternate(html, page.url, /^application\/(?:rss|atom)\+xml$/);
  const feed = feedUrl === undefined ? undefined : feedText((await otherForm(feedUrl, means)) ?? "");
  if (feed !== undefined) return { method: "feed", text: feed };
  const site = await otherForm(url.pathname === "/" ? `${url.origin}/llms.txt` : undefined, means);
  if (site !== undefined) return { method: "llms.txt", text: site };
  const service = await fromReader(page.url, means);
  if (service) return service;
  return { method: "html", text, notes: text.trim() === "" ? ["the page has no text without its scripts"] : [] };
}

/** Only if the user's settings name a service; the service learns the address. */
async function fromReader(url: string, { web: { gate, reader }, fetch }: Means): Promise<Rendered | undefined> {
  if (!reader) return undefined;
  const { hostname, port, protocol } = new URL(url);
  // A server of the session is private, and the service could not reach it.
  if (await gate.isOwn(hostname, Number(port) || (protocol === "https:" ? 443 : 80))) return undefined;
  const text = await otherForm(`${reader.replace(/\/+$/, "")}/${url}`, { fetch });
  return text === undefined ? undefined : { method: "reader", text, notes: [`read by ${new URL(reader).host}`] };
}

/** Text at another address of the same site; undefined if there is none, for whatever reason. */
async function otherForm(url: string | undefined, { fetch }: Pick<Means, "fetch">): Promise<string | undefined> {
  if (url === undefined) return undefined;
  try {
    const page = await fetch(url);
    // A page that redirects to loopback for another form could pass the session's own text off as its own.
    if (page.isLoopback && new URL(page.url).host !== new URL(url).host) return undefined;
    if (page.status >= 400 || isHtml(page) || !isText(page)) return undefined;
    const text = decodePage(page);
    return text.trim() === "" ? undefined : text;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** Only on the page's own host, because no other host was approved. */
function alternate(html: string, base: string, type: RegExp): string | undefined {
  for (const [tag] of html.slice(0, 200_000).matchAll(/<link\b[^>]{1,2000}>/gi)) {
    const attribute = (name: string): string =>
      new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(tag)?.slice(1).find(Boolean) ?? "";
    if (!/\balternate\b/i.test(attribute("rel")) || !type.test(attribute("type").toLowerCase())) continue;
    const href = attribute("href").replaceAll("&amp;", "&");
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    if (url.host === new URL(base).host) return url.href;
  }
  return undefined;
}

function indentText(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
