// Files, piped text and skills that were sent with a prompt, between tags. Lists and transcripts show only the prompt's
// own words.

import type { ContentPart } from "@lathe/llm";

export interface AttachedText {
  /** `@path`, "piped text" or "skill <name>". */
  readonly name: string;
  readonly text: string;
}

const PIPED = "piped text";
const WHOLE = /^<(?:file path="(?<path>.*)"|stdin)>\n(?<text>[\s\S]*)\n<\/(?:file|stdin)>$/;
/** Tags around an image, which is a part of its own. */
const TAG = /^<file path=".*">$|^<\/?(?:file|stdin)>$/;
const nameOf = (path: string | undefined): string => (path === undefined ? PIPED : `@${path}`);

/** Whatever follows the skill may have been cut off. */
const SKILL = /^<skill name="(?<name>[^"\n]*)">\n(?:(?<body>[\s\S]*)\n<\/skill>(?:\n\n(?<task>[\s\S]*))?$|[\s\S]*$)/;

export function wordsAndAttachments(content: readonly ContentPart[]): { words: string; attached: AttachedText[] } {
  const words: string[] = [];
  const attached: AttachedText[] = [];
  for (const part of content) {
    if (part.kind !== "text" || TAG.test(part.text)) continue;
    const groups = WHOLE.exec(part.text)?.groups;
    if (groups) attached.push({ name: nameOf(groups["path"]), text: groups["text"] ?? "" });
    const skill = groups ? undefined : SKILL.exec(part.text)?.groups;
    if (skill) attached.push({ name: `skill ${skill["name"]}`, text: skill["body"] ?? "" });
    if (!groups) words.push(skillAsTyped(part.text));
  }
  return { words: words.join("\n"), attached };
}

const FIRST = /^<(?:file path="([^"\n]*)"|stdin)>\n(?:[\s\S]*?\n?<\/(?:file|stdin)>\n?|[\s\S]*$)/;

/**
 * Like `wordsAndAttachments` for the beginning of a message, which may be cut off anywhere: its words, with names in
 * place of attached text.
 */
export function replaceAttachmentsByNames(text: string): string {
  const names: string[] = [];
  let rest = text;
  for (let found = FIRST.exec(rest); found; found = FIRST.exec(rest)) {
    names.push(nameOf(found[1]));
    rest = rest.slice(found[0].length);
  }
  const words = skillAsTyped(rest);
  return names.length === 0 ? words : `${words} (${names.join(", ")})`.trimStart();
}

/** A skill that the user invoked, as the command they typed. */
function skillAsTyped(text: string): string {
  const { name, task } = SKILL.exec(text)?.groups ?? {};
  if (name === undefined) return text;
  return task === undefined ? `/skill:${name}` : `/skill:${name} ${task}`;
}

/** The summary without its comments, which are meant for the next compaction. */
export const readableSummary = (summary: string): string => summary.replace(/^<!--.*-->\n*/gm, "");
