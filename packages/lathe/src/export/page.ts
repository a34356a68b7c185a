// A session as one HTML file: no script, no request, readable on a phone.

import { dollars, seconds, size, tokens } from "../sessions/numbers.ts";
import type { AssistantItem, Item, Transcript, UserItem } from "../sessions/transcript.ts";
import { totals } from "../sessions/transcript.ts";
import { callHtml, imageHtml, pre } from "./call.ts";
import { Html, html } from "./html.ts";
import { markdown } from "./markdown.ts";
import { STYLE } from "./style.ts";

export interface PageSource {
  readonly transcript: Transcript;
  /** Transcripts of subagents by the call that started them. */
  readonly children: ReadonlyMap<string, Transcript>;
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function pageHtml({ transcript, children }: PageSource): string {
  const { header, items, losses } = transcript;
  const title = oneLine(transcript.title ?? firstWords(items) ?? header.id);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><header><h1>${title}</h1>
${facts(transcript, children)}
${losses.map((loss) => html`<p class="loss">${loss}</p>`)}</header>
${contents(items)}
${itemsHtml(items, children, "You")}
<footer class="meta">Exported by Lathe &middot; session ${header.id}</footer></main></body></html>
`;
  return page.text;
}

function facts({ header, items }: Transcript, children: PageSource["children"]): Html {
  const all = [...items, ...[...children.values()].flatMap((child) => child.items)];
  const { tokens: used, cost } = totals(all);
  const answers = all.filter((item): item is AssistantItem => item.type === "assistant");
  const models = [...new Set(answers.flatMap(({ model }) => model ?? []))];
  const calls = answers.reduce((sum, { parts }) => sum + parts.filter(({ kind }) => kind === "call").length, 0);
  const took = Date.parse(items.at(-1)?.timestamp ?? header.timestamp) - Date.parse(header.timestamp);
  const cached = used.cached > 0 && html` (<b>${tokens(used.cached)}</b> cached)`;
  return html`<ul class="facts meta"><li>${timeHtml(header.timestamp)}</li><li>${header.cwd}</li>
${models.map((model) => html`<li><b>${model}</b></li>`)}
<li><b>${answers.length}</b> ${answers.length === 1 ? "answer" : "answers"}, <b>${calls}</b> ${calls === 1 ? "call" : "calls"}</li>
<li><b>${tokens(used.input)}</b> tokens in${cached}, <b>${tokens(used.output)}</b> out</li>
<li><b>${dollars(cost)}</b></li>${took > 0 && html`<li>${seconds(took)}</li>`}</ul>`;
}

const FEW_PROMPTS = 3;

function contents(items: readonly Item[]): Html | undefined {
  const prompts = items.filter((item): item is UserItem => item.type === "user" && item.origin !== "injected");
  if (prompts.length < FEW_PROMPTS) return undefined;
  const rows = prompts.map(({ id, text }) => html`<li><a href="#${id}">${oneLine(text).slice(0, 100) || "…"}</a></li>`);
  return html`<nav><details><summary>${prompts.length} prompts</summary><ol>${rows}</ol></details></nav>`;
}

/** `speaker`: whose words the prompts are. */
function itemsHtml(items: readonly Item[], children: PageSource["children"], speaker: string): Html[] {
  let model: string | undefined;
  return items.map((item) => {
    if (item.type === "user") return userHtml(item, speaker);
    if (item.type === "note") return noteHtml(item);
    // The model is named where it changes, not on each of a hundred answers.
    const isNew = item.model !== model;
    model = item.model;
    return assistantHtml(item, isNew, children);
  });
}

function userHtml({ id, text, given, images, origin, timestamp, label }: UserItem, speaker: string): Html {
  const who = origin === "input" || origin === "follow_up" ? speaker : ORIGINS[origin];
  return html`<article class="user" id="${id}"><div class="head meta"><span><span class="who">${who}</span>${labelHtml(label)}</span>
<a href="#${id}">${timeHtml(timestamp)}</a></div><div class="said">${text}</div>${given.map(givenHtml)}${images.map(imageHtml)}</article>
`;
}

const givenHtml = ({ name, text }: UserItem["given"][number]): Html =>
  html`<details><summary><span class="name">${name}</span><span class="what"></span><span class="meta">${size(Buffer.byteLength(text))}</span></summary>${pre(text)}</details>`;

const ORIGINS = { steering: "You, while it worked", injected: "Added", loop_detection: "Loop guard" } as const;

function assistantHtml(item: AssistantItem, isNew: boolean, children: PageSource["children"]): Html {
  const parts = item.parts.map((part) => {
    if (part.kind === "text") return html`<div class="md">${markdown(part.text)}</div>`;
    if (part.kind === "image") return imageHtml(part.image);
    if (part.kind === "call") return callHtml(part.call, childHtml(children.get(part.call.id), children));
    return html`<details class="thinking"><summary>Thinking</summary><div class="plain">${part.text}</div></details>`;
  });
  const named =
    isNew && item.model !== undefined && html`<div class="head meta"><span class="who">${item.model}</span></div>`;
  const cut = item.cut !== undefined && html`<p class="failed">The answer was ended by: ${item.cut}</p>`;
  return html`<article class="assistant" id="${item.id}">${named}${labelHtml(item.label)}${parts}${cut}${usageHtml(item)}</article>
`;
}

function usageHtml({ tokens: used, cost }: AssistantItem): Html | undefined {
  if (!used) return undefined;
  const cached = used.cached > 0 ? ` (${tokens(used.cached)} cached)` : "";
  const spent = cost !== undefined && html` &middot; ${dollars(cost)}`;
  return html`<div class="meta">${tokens(used.input)} in${cached} &middot; ${tokens(used.output)} out${spent}</div>`;
}

function childHtml(child: Transcript | undefined, children: PageSource["children"]): Html | undefined {
  if (!child) return undefined;
  return html`<div class="key">subagent ${child.header.agentId}</div><div class="child">${itemsHtml(child.items, children, "Task")}</div>`;
}

function noteHtml({ title, text, id, label }: Extract<Item, { type: "note" }>): Html {
  if (text === undefined) return html`<div class="note" id="${id}">${title}${labelHtml(label)}</div>`;
  return html`<div class="note" id="${id}"><details><summary>${title}${labelHtml(label)}</summary><div class="md">${markdown(text)}</div></details></div>
`;
}

const labelHtml = (label: string | undefined): Html | undefined =>
  label === undefined ? undefined : html`<span class="label">${label}</span>`;

/** The same everywhere: the page has no script that could know the reader's time zone. */
const timeHtml = (timestamp: string): Html =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC</time>`;

const TITLE = 120;
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, TITLE);

function firstWords(items: readonly Item[]): string | undefined {
  const first = items.find((item) => item.type === "user");
  return first?.text || first?.given.map(({ name }) => name).join(", ") || undefined;
}
