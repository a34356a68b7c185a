// A page of the web as lines to read. What was fetched once is kept for the session, so that the next lines of it cost no request.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import type { WebTarget } from "../../target/target.ts";
import { linesOf, type OpenedText } from "../read/open.ts";
import { type FetchLimits, fetchPage } from "./fetch-page.ts";
import "./services.ts";
import { pageText } from "./to-markdown.ts";

const LIMITS: FetchLimits = { maxBytes: 5 << 20, maxRedirects: 5, timeoutMs: 30_000, allowPrivate: false };

export async function openPage({ path, selector }: WebTarget, scope: CallScope): Promise<OpenedText> {
  const { web } = scope.services;
  if (!web) throw new ToolFailure(`${path} cannot be read: pages of the web are not available here.`);
  const limits = { ...LIMITS, ...web.fetch };
  const page = await fetchPage(path, limits, scope.signal);
  const text = await pageText(page, { timeoutMs: limits.timeoutMs, signal: scope.signal });
  return { kind: "text", path, lines: linesOf(text), first: 1, selector, notes: [], isPlainFile: false };
}
