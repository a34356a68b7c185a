// Files and piped text that were sent with a prompt, between tags. Lists and transcripts show the prompt's own words.

import type { ContentPart } from "@lathe/llm";

export interface AttachedText {
  /** `@path`, or "piped text". */
  readonly name: string;
  readonly text: string;
}

const PIPED = "piped text";
const WHOLE = /^<(?:file path="(?<path>.*)"|stdin)>\n(?<text>[\s\S]*)\n<\/(?:file|stdin)>$/;
/** Around a picture, which is a part of its own. */
const TAG = /^<file path=".*">$|^<\/?(?:file|stdin)>$/;
const nameOf = (path: string | undefined): string => (path === undefined ? PIPED : `@${path}`);

export function wordsAndAttachments(content: readonly ContentPart[]): { words: string; attached: AttachedText[] } {
  const words: string[] = [];
  const attached: AttachedText[] = [];
  for (const part of content) {
    if (part.kind !== "text" || TAG.test(part.text)) continue;
    const groups = WHOLE.exec(part.text)?.groups;
    if (groups) attached.push({ name: nameOf(groups["path"]), text: groups["text"] ?? "" });
    else words.push(part.text);
  }
  return { words: words.join("\n"), attached };
}

const FIRST = /^<(?:file path="([^"\n]*)"|stdin)>\n(?:[\s\S]*?\n?<\/(?:file|stdin)>\n?|[\s\S]*$)/;

/** The same for the beginning of a message, which may end anywhere: its words, with names in place of attached text. */
export function replaceAttachmentsByNames(text: string): string {
  const names: string[] = [];
  let rest = text;
  for (let found = FIRST.exec(rest); found; found = FIRST.exec(rest)) {
    names.push(nameOf(found[1]));
    rest = rest.slice(found[0].length);
  }
  return names.length === 0 ? text : `${rest} (${names.join(", ")})`.trimStart();
}

/** Without the comments in it, which are for the next compaction. */
export const readableSummary = (summary: string): string => summary.replace(/^<!--.*-->\n*/gm, "");
