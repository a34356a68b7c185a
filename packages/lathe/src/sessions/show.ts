// A transcript as plain text. Session content must never control the reader's terminal, so control characters are
// removed.

import { printableLine, sessionName } from "./list.ts";
import { costText } from "./numbers.ts";
import type { AssistantItem, Call, Item, Transcript } from "./transcript.ts";
import { totals } from "./transcript.ts";
import { visible } from "./visible.ts";

const RESULT_LINES = 12;

/** An agent that the session started. */
export interface ShownAgent {
  readonly agentId: string;
  /** Kind, outcome, cost. */
  readonly facts: readonly string[];
  readonly task: string;
}

export interface ShowOptions {
  readonly agents: readonly ShownAgent[];
  /** Whether to show whole tool results instead of their first lines. */
  readonly full: boolean;
}

/** Yields the text in pieces. */
export function* showText(transcript: Transcript, options: ShowOptions): IterableIterator<string> {
  const { header, title } = transcript;
  const { tokens, ...cost } = totals(transcript.items());
  const head = [
    `# ${sessionName({ id: header.id, ...(title === undefined ? {} : { title }), ...firstWords(transcript) }, NAME)}`,
    `${header.id}  ${header.timestamp}  ${header.cwd}`,
    `${tokens.input} tokens in, ${tokens.output} out, ${costText(cost)}`,
    ...options.agents.map(({ agentId, facts, task }) => `@ ${agentId}  ${facts.join(" · ")}  ${printableLine(task)}`),
    ...transcript.losses().map((loss) => `! ${loss}`),
  ];
  yield visible(head.join("\n"));
  for (const item of transcript.items()) yield `\n\n${visible(itemText(item, options))}`;
  yield "\n";
}

const NAME = 80;

function firstWords(transcript: Transcript): { firstMessage?: string } {
  for (const item of transcript.items()) if (item.type === "user") return { firstMessage: item.text };
  return {};
}

function itemText(item: Item, options: ShowOptions): string {
  const label = item.label === undefined ? "" : ` [${item.label}]`;
  if (item.type === "note") return `-- ${item.title}${label}${item.text === undefined ? "" : `\n${item.text}`}`;
  if (item.type === "user") {
    const images = item.images.map(() => "\n[image]").join("");
    const attached = item.attached.map(({ name, text }) => attachedText(name, text, options)).join("");
    const how = item.how === "input" ? "" : ` (${item.how.replace("_", " ")})`;
    return `> user${how}${label}\n${attached}${item.text}${images}`;
  }
  return [`> ${item.model ?? "assistant"}${label}`, ...parts(item, options), ...endNote(item)].join("\n");
}

function attachedText(name: string, text: string, { full }: ShowOptions): string {
  const lines = text.split("\n").length;
  return full ? `[${name}]\n${indent(text, "  | ")}\n` : `[${name}: ${lines} ${lines === 1 ? "line" : "lines"}]\n`;
}

function parts(item: AssistantItem, options: ShowOptions): string[] {
  return item.parts.map((part) => {
    if (part.kind === "call") return callText(part.call, options);
    if (part.kind === "image") return "[image]";
    return part.kind === "thinking" ? indent(part.text, "~ ") : part.text;
  });
}

function callText({ name, arguments: args, result }: Call, { full }: ShowOptions): string {
  const called = `* ${name} ${typeof args === "string" ? args : JSON.stringify(args)}`;
  if (!result) return `${called}\n  (no result: the session ended here)`;
  // Some tools tell the model about the change, so their text already contains the diff.
  const untold = result.diffs.filter(({ diff }) => !result.text.includes(diff.trim()));
  const diffs = untold.map(({ path, diff }) => `--- ${path}\n${diff}`);
  const lines = [result.text.trimEnd(), ...diffs].join("\n").split("\n");
  const shown = full ? lines : lines.slice(0, RESULT_LINES);
  const more = lines.length - shown.length;
  const text = indent(shown.join("\n"), result.isError ? "  ! " : "  | ");
  return `${called}\n${text}${more > 0 ? `\n  … ${more} more lines (--full shows them)` : ""}`;
}

const endNote = ({ endedBy }: AssistantItem): string[] => (endedBy === undefined ? [] : [`(ended by ${endedBy})`]);

const indent = (text: string, prefix: string): string => text.replace(/^/gm, prefix);
