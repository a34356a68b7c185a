// Opens a web page as lines to read. The header says what it is and how its text was obtained.

import { type CallScope, type ToolContext, ToolFailure } from "../../contract/tool.ts";
import { linesOf, type OpenedImage, type OpenedText } from "../target/opened.ts";
import type { WebTarget } from "../target/target.ts";
import { type LoadedPage, loadPage } from "./load-page.ts";
import type { CachedPage } from "./page-cache.ts";
import "./services.ts";

/** Of a longer page, the beginning is shown, and the whole becomes an artifact. */
const MOST_LINES = 300;
const MOST_SHOWN_BYTES = 50 << 10;

type PageScope = CallScope & Partial<Pick<ToolContext, "openArtifact">>;

export async function openPage({ path, selector }: WebTarget, scope: PageScope): Promise<OpenedText | OpenedImage> {
  const { web, pages } = scope.services;
  if (!web) throw new ToolFailure(`${path} cannot be read: web pages are not available here.`);
  const isRaw = selector?.raw ?? false;
  const known = pages?.get(path, isRaw);
  if (known) {
    scope.paths.pages.set(path, known.base);
    return withSelector(known, selector);
  }
  const page = await loadPage({ url: path, isRaw }, web, scope);
  const opened = withHeader(path, page, await keepLong(page.text ?? "", scope));
  // Failures are not cached, because the next response may differ.
  if (page.status < 400) pages?.keep([path, page.url], isRaw, opened);
  return withSelector(opened, selector);
}

const withSelector = (page: CachedPage, selector: WebTarget["selector"]): OpenedText | OpenedImage =>
  page.kind === "image" ? page : { ...page, selector };

interface LongPage {
  /** Number of lines shown. */
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

function withHeader(path: string, page: LoadedPage, long: LongPage | undefined): CachedPage {
  const { url, base, method, text, image, notes = [] } = page;
  const part = page.isMainPart ? ["only the main part of the page; :raw gives all of it"] : [];
  const cut = page.truncated ? [`only the first ${page.bytes} bytes were read`] : [];
  const said = [...part, ...cut, ...notes, ...(long ? [long.note] : [])];
  const header = [
    `URL: ${url}`,
    `Content-Type: ${page.mediaType || "unknown"}`,
    `Method: ${method}`,
    ...(page.status >= 400 ? [`Status: ${page.status}`] : []),
    ...(said.length > 0 ? [`Notes: ${said.join("; ")}`] : []),
    "---",
  ];
  if (image) return { kind: "image", path, url, base, ...image, notes: header, isOfWeb: true };
  const failure = page.status >= 400 ? [`The server answered with status ${page.status}.`] : [];
  const lines = [...failure, ...linesOf((failure.length > 0 ? text?.trimEnd() : text) ?? "")];
  return { kind: "text", path, url, base, lines, first: 1, most: long?.most, notes: header, isPlainFile: false };
}
