// A page of the web as lines to read, in the form that is best to read: markdown where the site offers it, text made of the page
// otherwise. What it is and how it was made stands in the header.

import { parseJson } from "@lathe/llm";
import { type CallScope, type ToolContext, ToolFailure } from "../../contract/tool.ts";
import { formatOfName } from "../target/format-of-name.ts";
import { imageType } from "../target/images.ts";
import { linesOf, type OpenedImage, type OpenedText } from "../target/opened.ts";
import type { WebTarget } from "../target/target.ts";
import { feedText } from "./feed.ts";
import { type FetchedPage, type FetchLimits, fetchPage } from "./fetch-page.ts";
import type { CachedPage } from "./page-cache.ts";
import "./services.ts";
import { decodePage, isHtml, isText, pageText } from "./to-markdown.ts";

const LIMITS: FetchLimits = { maxBytes: 20 << 20, maxRedirects: 5, timeoutMs: 30_000 };
/** A page whose text is shorter than this is likely made by its scripts: other forms of it are looked for. */
const LEAST_TEXT = 200;
const MAIN_PART = "only the main part of the page; :raw gives all of it";

/** Of a longer page, the beginning is shown, and the whole becomes an artifact. */
const MOST_LINES = 300;
const MOST_SHOWN_BYTES = 50 << 10;

type PageScope = CallScope & Partial<Pick<ToolContext, "openArtifact">>;

export async function openPage({ path, selector }: WebTarget, scope: PageScope): Promise<OpenedText | OpenedImage> {
  const { web, pages } = scope.services;
  if (!web) throw new ToolFailure(`${path} cannot be read: pages of the web are not available here.`);
  const isRaw = selector?.raw ?? false;
  const known = pages?.get(path, isRaw);
  if (known) {
    scope.paths.pages.set(path, known.url);
    return withSelector(known, selector);
  }
  const fetch = (url: string): Promise<FetchedPage> =>
    fetchPage(web.gate, url, { ...LIMITS, ...web.fetch }, scope.signal);
  const page = await fetch(path);
  scope.paths.pages.set(path, page.url);
  const rendered = await (isRaw ? raw(page) : render(page, { fetch, scope }));
  const opened = withHeader(path, page, rendered, await keepLong(rendered.text ?? "", scope));
  // A failure is asked for again: the next answer may be another one.
  if (page.status < 400) pages?.keep([path, page.url], isRaw, opened);
  return withSelector(opened, selector);
}

const withSelector = (page: CachedPage, selector: WebTarget["selector"]): OpenedText | OpenedImage =>
  page.kind === "image" ? page : { ...page, selector };

interface Rendered {
  readonly method: string;
  readonly text?: string;
  readonly image?: { readonly bytes: Uint8Array; readonly mediaType: string };
  readonly notes?: readonly string[];
}

interface Means {
  readonly scope: CallScope;
  fetch(url: string): Promise<FetchedPage>;
}

interface LongPage {
  /** How many of its lines are shown. */
  readonly most: number;
  readonly note: string;
}

async function keepLong(text: string, { openArtifact }: PageScope): Promise<LongPage | undefined> {
  const lines = linesOf(text);
  let bytes = 0;
  const cut = lines.findIndex((line, at) => {
    bytes += Buffer.byteLength(line) + 1;
    return at >= MOST_LINES || bytes > MOST_SHOWN_BYTES;
  });
  if (cut < 0 || !openArtifact) return undefined;
  const artifact = openArtifact("read");
  artifact.write(Buffer.from(text));
  const { id } = await artifact.close();
  return { most: Math.max(1, cut), note: `all ${lines.length} lines are in artifact://${id}` };
}

function withHeader(
  path: string,
  page: FetchedPage,
  { method, text, image, notes = [] }: Rendered,
  long: LongPage | undefined,
): CachedPage {
  const cut = page.truncated ? [`only the first ${page.body.length} bytes were read`] : [];
  const said = [...cut, ...notes, ...(long ? [long.note] : [])];
  const header = [
    `URL: ${page.url}`,
    `Content-Type: ${page.mediaType || "unknown"}`,
    `Method: ${method}`,
    ...(page.status >= 400 ? [`Status: ${page.status}`] : []),
    ...(said.length > 0 ? [`Notes: ${said.join("; ")}`] : []),
    "---",
  ];
  const { url } = page;
  if (image) return { kind: "image", path, url, ...image, notes: header };
  const lines = linesOf(text ?? "");
  return { kind: "text", path, url, lines, first: 1, most: long?.most, notes: header, isPlainFile: false };
}

async function raw(page: FetchedPage): Promise<Rendered> {
  return { method: isHtml(page) ? "raw-html" : "raw", text: decodePage(page) };
}

async function render(page: FetchedPage, means: Means): Promise<Rendered> {
  if (page.status >= 400) {
    const { text } = isText(page) ? await pageText(page, means.scope) : { text: "" };
    return { method: "failed", text: `The server answered with status ${page.status}.\n${text}`.trimEnd() };
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

/** A document is read like a file of its kind. */
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
  return { method: "document", text: content.text };
}

async function renderHtml(page: FetchedPage, means: Means): Promise<Rendered> {
  const html = decodePage(page);
  const markdown = await otherForm(alternate(html, page.url, /^text\/(?:x-)?markdown$/), means);
  if (markdown !== undefined) return { method: "alternate-markdown", text: markdown };
  const { text, isMainPart } = await pageText(page, means.scope);
  if (text.trim().length >= LEAST_TEXT) return { method: "html", text, notes: isMainPart ? [MAIN_PART] : [] };
  const url = new URL(page.url);
  const suffixed = url.pathname.endsWith("/") ? undefined : `${url.origin}${url.pathname}.md${url.search}`;
  const suffix = await otherForm(suffixed, means);
  if (suffix !== undefined) return { method: "md-suffix", text: suffix };
  const feedUrl = alternate(html, page.url, /^application\/(?:rss|atom)\+xml$/);
  const feed = feedUrl === undefined ? undefined : feedText((await otherForm(feedUrl, means)) ?? "");
  if (feed !== undefined) return { method: "feed", text: feed };
  const site = await otherForm(url.pathname === "/" ? `${url.origin}/llms.txt` : undefined, means);
  if (site !== undefined) return { method: "llms.txt", text: site };
  return { method: "html", text, notes: text.trim() === "" ? ["the page has no text without its scripts"] : [] };
}

/** Text at another address of the same site; undefined when there is none, in whatever way. */
async function otherForm(url: string | undefined, { fetch }: Means): Promise<string | undefined> {
  if (url === undefined) return undefined;
  try {
    const page = await fetch(url);
    if (page.status >= 400 || isHtml(page) || !isText(page)) return undefined;
    const text = decodePage(page);
    return text.trim() === "" ? undefined : text;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** Of the page's own host only: another host was not asked for. */
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
