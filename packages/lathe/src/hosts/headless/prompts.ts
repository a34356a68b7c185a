// Turns what the user gave on the command line and on stdin into inputs for the agent: words, -p prompts, @files, piped
// text.

import type { InputContent, InputPart } from "@lathe/agent";
import type { Attachment, AttachmentFiles } from "../../conversation/attachments.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** A prompt that stands for piped input. */
const STDIN = "-";
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** The machine that reads the prompt's files, and `files` if the run sees others than the machine's. */
export interface PromptPlace {
  readonly machine: Machine;
  readonly files?: AttachmentFiles | undefined;
}

/** The prompts in order. Piped text and files go with the first one. */
export async function promptsOf(
  { options, words }: ParsedArgs,
  { machine, files: seen }: PromptPlace,
  piped: Uint8Array = new Uint8Array(),
): Promise<InputContent[]> {
  const files = words.filter(isFile).map((word) => word.slice(1));
  const prompts = [...(options.print ?? []), ...promptsFromWords(words.filter((word) => !isFile(word)))];
  const context: InputPart[] = [];
  if (files.length > 0) {
    const { fileParts } = await import("../../conversation/attachments.ts");
    for (const file of files) context.push(...(await fileParts(file, machine, seen)));
  }
  const hasPiped = !piped.every(isSpace);
  if (prompts.includes(STDIN)) {
    if (!hasPiped)
      throw usageError(`"-" reads the prompt from stdin, but stdin is empty. Pipe the prompt in, or give its text.`);
    const asPrompt = await pipedParts(piped);
    return withContext(
      context,
      prompts.map((prompt) => (prompt === STDIN ? asPrompt : prompt)),
    );
  }
  if (hasPiped) context.push(...(await pipedParts(piped, prompts.length > 0 ? ["<stdin>", "</stdin>"] : undefined)));
  return withContext(context, prompts);
}

/** Each argument is a prompt, but consecutive single words form one, because people do not quote `fix the bug`. */
function promptsFromWords(words: readonly string[]): string[] {
  const prompts: string[] = [];
  let joins = false;
  for (const word of words) {
    if (word.trim() === "") continue;
    const isSingle = /^\S+$/.test(word);
    if (isSingle && joins) prompts.push(`${prompts.pop()} ${word}`);
    else prompts.push(word);
    joins = isSingle;
  }
  return prompts;
}

const isFile = (word: string): boolean => word.startsWith("@") && word.length > 1;

function withContext(context: readonly InputPart[], prompts: readonly InputContent[]): InputContent[] {
  if (context.length === 0) return [...prompts];
  const [first = [], ...rest] = prompts;
  return [[...context, ...(typeof first === "string" ? [{ kind: "text" as const, text: first }] : first)], ...rest];
}

async function pipedParts(bytes: Uint8Array, tags?: Attachment["tags"]): Promise<InputPart[]> {
  const { attachmentParts } = await import("../../conversation/attachments.ts");
  return attachmentParts({ name: "Piped input", bytes, ...(tags ? { tags } : {}) });
}
