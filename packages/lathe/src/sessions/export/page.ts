// A session as one HTML file: no script, no request, readable on a phone.

import { costText, dollars, seconds, size, tokens } from "../numbers.ts";
import type { AssistantItem, Item, Transcript, UserItem } from "../transcript.ts";
import { callHtml, imageHtml, pre } from "./call.ts";
import { Html, html } from "./html.ts";
import { markdown } from "./markdown.ts";
import { coloursCss, type PageColours, STYLE } from "./style.ts";
import { type Summary, titleLine } from "./summary.ts";

/** The caller closes it. */
export interface OpenTranscript {
  readonly transcript: Transcript;
  close(): void;
}

/** Subagents by the call that started them. */
type Children = Map<string, () => OpenTranscript>;

export interface PageSource {
  readonly transcript: Transcript;
  readonly summary: Summary;
  /** Summaries of subagents. */
  readonly summaries: readonly Summary[];
  /** Each is shown once, with the first call of that id. */
  readonly children: Children;
  readonly losses: readonly string[];
  /** The colours of a theme; without them the page follows the reader's light or dark mode. */
  readonly colours?: PageColours | undefined;
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/** Subagents nested deeper than this are only named. */
const DEEPEST_CHILD = 8;

/** Yields the page in pieces, because it may be larger than memory. */
export function* pageHtml(source: PageSource): Generator<string, void, undefined> {
  const { transcript, summary, children, losses } = source;
  const { header } = transcript;
  const title = titleLine(transcript.title ?? summary.firstWords ?? header.id);
  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,"><title>${title}</title><style>${new Html(STYLE + coloursCss(source.colours))}</style></head>
<body><main><header><h1>${title}</h1>
${facts(source)}
${losses.map((loss) => html`<p class="loss">${loss}</p>`)}</header>
${contents(summary)}
`.text;
  yield* itemsHtml(transcript, new Map(children), "You", 0);
  yield html`
<footer class="meta">Exported by Lathe &middot; session ${header.id}</footer></main></body></html>
`.text;
}

function facts({ transcript: { header }, summary, summaries }: PageSource): Html {
  const all = [summary, ...summaries];
  const sum = (count: (one: Summary) => number): number => all.reduce((sofar, one) => sofar + count(one), 0);
  const models = [...new Set(all.flatMap((one) => [...one.models]))];
  const answers = sum((one) => one.answers);
  const calls = sum((one) => one.calls);
  const cachedTokens = sum((one) => one.tokens.cached);
  const took = Date.parse(summary.end) - Date.parse(header.timestamp);
  const cached = cachedTokens > 0 && html` (<b>${tokens(cachedTokens)}</b> cached)`;
  return html`<ul class="facts meta"><li>${timeHtml(header.timestamp)}</li><li>${header.cwd}</li>
${models.map((model) => html`<li><b>${model}</b></li>`)}
<li><b>${answers}</b> ${answers === 1 ? "answer" : "answers"}, <b>${calls}</b> ${calls === 1 ? "call" : "calls"}</li>
<li><b>${tokens(sum((one) => one.tokens.input))}</b> tokens in${cached}, <b>${tokens(sum((one) => one.tokens.output))}</b> out</li>
<li><b>${costText({ cost: sum((one) => one.cost), unpriced: sum((one) => one.unpriced) })}</b></li>${took > 0 && html`<li>${seconds(took)}</li>`}</ul>`;
}

const FEW_PROMPTS = 3;

function contents({ prompts, promptCount }: Summary): Html | undefined {
  if (promptCount < FEW_PROMPTS) return undefined;
  const rows = prompts.map(({ id, words }) => html`<li><a href="#${id}">${words || "\u2026"}</a></li>`);
  const more = promptCount > prompts.length && html`<li>${promptCount - prompts.length} more</li>`;
  return html`<nav><details><summary>${promptCount} prompts</summary><ol>${rows}${more}</ol></details></nav>`;
}

/** `speaker` is the author of the prompts. */
function* itemsHtml(
  transcript: Transcript,
  children: Children,
  speaker: string,
  depth: number,
): Generator<string, void, undefined> {
  let model: string | undefined;
  for (const item of transcript.items()) {
    if (item.type === "user") yield userHtml(item, speaker).text;
    else if (item.type === "note") yield noteHtml(item).text;
    else {
      // The model is named where it changes, not on each of a hundred answers.
      const isNew = item.model !== model;
      model = item.model;
      yield* assistantHtml(item, isNew, children, depth);
    }
  }
}

function userHtml({ id, text, attached, images, how, timestamp, label }: UserItem, speaker: string): Html {
  const who = how === "steering" ? "You, while it worked" : speaker;
  return html`<article class="user" id="${id}"><div class="head meta"><span><span class="who">${who}</span>${labelHtml(label)}</span>
<a href="#${id}">${timeHtml(timestamp)}</a></div><div class="said">${text}</div>${attached.map(attachedHtml)}${images.map(imageHtml)}</article>
`;
}

const attachedHtml = ({ name, text }: UserItem["attached"][number]): Html =>
  html`<details><summary><span class="name">${name}</span><span class="what"></span><span class="meta">${size(Buffer.byteLength(text))}</span></summary>${pre(text)}</details>`;

function* assistantHtml(
  item: AssistantItem,
  isNew: boolean,
  children: Children,
  depth: number,
): Generator<string, void, undefined> {
  const named =
    isNew && item.model !== undefined && html`<div class="head meta"><span class="who">${item.model}</span></div>`;
  yield html`<article class="assistant" id="${item.id}">${named}${labelHtml(item.label)}`.text;
  for (const part of item.parts) {
    if (part.kind === "text") yield html`<div class="md">${markdown(part.text)}</div>`.text;
    else if (part.kind === "image") yield imageHtml(part.image).text;
    else if (part.kind === "call") yield* callHtml(part.call, () => childHtml(part.call.id, children, depth));
    else
      yield html`<details class="thinking"><summary>Thinking</summary><div class="plain">${part.text}</div></details>`
        .text;
  }
  const ending = item.endedBy !== undefined && html`<p class="failed">The answer was ended by ${item.endedBy}.</p>`;
  yield html`${ending}${usageHtml(item)}</article>
`.text;
}

function usageHtml({ tokens: used, cost }: AssistantItem): Html | undefined {
  if (!used) return undefined;
  const cached = used.cached > 0 ? ` (${tokens(used.cached)} cached)` : "";
  const spent = cost !== undefined && html` &middot; ${dollars(cost)}`;
  return html`<div class="meta">${tokens(used.input)} in${cached} &middot; ${tokens(used.output)} out${spent}</div>`;
}

function* childHtml(callId: string, children: Children, depth: number): Generator<string, void, undefined> {
  const open = children.get(callId);
  if (!open) return;
  // A journal may claim one of its own calls as the one that started it.
  children.delete(callId);
  const { transcript: child, close } = open();
  try {
    yield html`<div class="key">subagent ${child.header.agentId}</div><div class="child">`.text;
    if (depth < DEEPEST_CHILD) yield* itemsHtml(child, children, "Task", depth + 1);
    yield "</div>";
  } finally {
    close();
  }
}

function noteHtml({ title, text, id, label }: Extract<Item, { type: "note" }>): Html {
  if (text === undefined) return html`<div class="note" id="${id}">${title}${labelHtml(label)}</div>`;
  return html`<div class="note" id="${id}"><details><summary>${title}${labelHtml(label)}</summary><div class="md">${markdown(text)}</div></details></div>
`;
}

const labelHtml = (label: string | undefined): Html | undefined =>
  label === undefined ? undefined : html`<span class="label">${label}</span>`;

/** Times are in UTC for every reader: the page has no script that could know the time zone. */
const timeHtml = (timestamp: string): Html =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC</time>`;
