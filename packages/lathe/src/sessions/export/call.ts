// One tool call on the page: a line that says what the call did, and below it, collapsed, the arguments, the diff and
// the result.

import { oneLine } from "@lathe/agent/base";
import type { CardDiff } from "@lathe/agent/contract";
import type { ImageData, JsonValue } from "@lathe/llm";
import { seconds, size } from "../numbers.ts";
import type { Call, CallResult } from "../transcript.ts";
import { visible } from "../visible.ts";
import { type Html, html } from "./html.ts";

/** A longer result is truncated, so that the page opens on a phone. */
const MOST_TEXT = 100_000;
/** A diff this short is expanded. */
const SHORT_DIFF = 40;
const SUMMARY = 160;

/** `child` yields the pieces of the subagent that the call started, if any. */
export function* callHtml(call: Call, child: () => Iterable<string>): Generator<string, void, undefined> {
  const { name, result } = call;
  const diffs = result?.diffs ?? [];
  const lines = diffs.reduce((sum, { diff }) => sum + diff.split("\n").length, 0);
  const open = diffs.length > 0 && lines <= SHORT_DIFF && !result?.isError;
  yield html`<details class="call${result?.isError && " failed"}"${open && OPEN}><summary><span class="name">${name}</span>
<span class="what">${about(call)}</span>${diffs.length > 0 && counts(diffs)}<span class="meta">${outcome(result)}</span></summary>
${diffs.length > 0 && !result?.isError ? diffs.map((file) => diffHtml(file, diffs.length > 1)) : [argumentsHtml(call), result && resultHtml(result)]}`
    .text;
  yield* child();
  yield "</details>\n";
}

const OPEN = html` open`;

/** A call without a result only has its arguments to show. */
function about({ arguments: args, result }: Call): string {
  return summaryLine(result?.summary ?? (typeof args === "string" ? args : JSON.stringify(args)));
}

const summaryLine = (text: string): string => oneLine(visible(text)).slice(0, SUMMARY);

function outcome(result: CallResult | undefined): Html {
  if (!result) return html`<span class="failed">no result</span>`;
  const took = result.durationMs === undefined ? "" : seconds(result.durationMs);
  return result.isError ? html`<span class="failed">failed</span> ${took}` : html`${took}`;
}

function counts(diffs: readonly CardDiff[]): Html {
  const lines = diffs.flatMap(({ diff }) => diff.split("\n"));
  const plus = lines.filter((line) => line.startsWith("+")).length;
  const minus = lines.filter((line) => line.startsWith("-")).length;
  return html`<span class="meta"><span class="added">+${plus}</span> <span class="removed">&minus;${minus}</span></span>`;
}

function argumentsHtml({ arguments: args }: Call): Html {
  if (typeof args === "string") return pre(args);
  return html`${Object.entries(args).map(([key, value]) => html`<div class="key">${key}</div>${pre(plain(value))}`)}`;
}

const plain = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");

function resultHtml(result: CallResult): Html {
  const more =
    result.artifact && html`<p class="muted">Full output: ${size(result.artifact.bytes)}, kept beside the session.</p>`;
  return html`<div class="key">result</div>${pre(result.text)}${result.images.map(imageHtml)}${more}`;
}

export function pre(text: string): Html {
  const clean = visible(text);
  const rest = clean.length - MOST_TEXT;
  return html`<pre>${clean.slice(0, MOST_TEXT)}${rest > 0 && `\n… ${size(rest)} more`}</pre>`;
}

const KINDS: Readonly<Record<string, string>> = { "+": "plus", "-": "minus", "@": "hunk" };

/** If there is only one file, the call's own line already names it. */
function diffHtml({ path, diff }: CardDiff, named: boolean): Html {
  const rows = visible(diff)
    .split("\n")
    .map((line) => html`<span class="${KINDS[line[0] ?? ""]}">${line || " "}</span>`);
  return html`${named && html`<div class="key">${path}</div>`}<pre class="diff">${rows}</pre>`;
}

const SHOWN_IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;
const DATA_URL = /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;

/** Only images that the page itself contains: nothing is fetched when it is read. */
export function imageHtml({ data, url, mediaType }: ImageData): Html {
  if (data && SHOWN_IMAGES.test(mediaType ?? "")) {
    return html`<img alt="" src="data:${mediaType};base64,${Buffer.from(data).toString("base64")}">`;
  }
  if (url !== undefined && DATA_URL.test(url)) return html`<img alt="" src="${url}">`;
  return html`<p class="muted">[image${url === undefined || url.startsWith("data:") ? "" : `: ${url}`}]</p>`;
}
