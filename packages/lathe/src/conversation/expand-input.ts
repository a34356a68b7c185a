// Expands a text from the user or a host before it goes to the model (LS-03): a command that stands for a text is
// replaced by it, in every host, whether the agent works or not. An unknown `/x` is refused; other text goes on with
// the files it names.

import type { InputContent } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT, usageError } from "../platform/usage/exit.ts";
import type { SlashCommand } from "./commands/command.ts";
import { isPath, noSuchCommandHere } from "./commands/near-miss.ts";
import { refuseAsAnswer } from "./gates/open-question.ts";
import type { OpenSession } from "./session-contract.ts";
import { refuseTooLarge } from "./too-large-input.ts";
import { isAttachedText, recordTyped } from "./typed-addresses.ts";

export interface ExpansionOptions {
  /** Absent: the commands that the session brings. */
  readonly commands?: readonly SlashCommand[];
  /** Commands that the host runs itself. */
  readonly ofHost?: Iterable<string>;
  /** The text goes into a queue, where no code can run. */
  readonly isQueued?: boolean;
  /** Attaches the files that the text names with @. Absent: files of the project only. */
  readonly attach?: (text: string) => Promise<InputContent>;
}

/** A command name and its argument, which may span lines. */
const NAMED = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/;

/**
 * Undefined: a command did its work, and there is nothing to send. Throws an error for the user when the command
 * failed, or when what would be sent cannot fit the context window.
 */
export async function expandInput(
  content: InputContent,
  open: OpenSession,
  options: ExpansionOptions = {},
): Promise<InputContent | undefined> {
  recordTyped(content, open);
  const expanded = await expandParts(content, open, options);
  if (expanded !== undefined) refuseTooLarge(expanded, open);
  return expanded;
}

async function expandParts(
  content: InputContent,
  open: OpenSession,
  options: ExpansionOptions,
): Promise<InputContent | undefined> {
  if (typeof content === "string") return expandText(content, open, options);
  const at = typedPartIndex(content);
  const last = content[at];
  if (last?.kind !== "text") return content;
  const expanded = await expandText(last.text, open, options);
  if (expanded === undefined) return undefined;
  const parts = typeof expanded === "string" ? [{ kind: "text" as const, text: expanded }] : expanded;
  return [...content.slice(0, at), ...parts, ...content.slice(at + 1)];
}

/** Index of the part that may name a command or files; attached texts may not. */
export function typedPartIndex(content: Exclude<InputContent, string>): number {
  const typed = content.findLastIndex((part) => part.kind === "text" && !isAttachedText(part.text));
  return typed < 0 ? content.findLastIndex(({ kind }) => kind === "text") : typed;
}

/**
 * Keeps several inputs in order, however long one takes; a text that names no command and no file is expanded at once.
 */
export class InputExpansion {
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  expand(...input: Parameters<typeof expandInput>): InputContent | ReturnType<typeof expandInput> {
    if (this.#pending === 0 && !needsTime(input[0])) {
      const [content, open] = input;
      recordTyped(content, open);
      refuseTooLarge(content, open);
      return content;
    }
    this.#pending++;
    const expanded = this.#last.then(() => expandInput(...input)).finally(() => this.#pending--);
    // A failed input must not keep the next one from being sent.
    this.#last = expanded.catch(() => {});
    return expanded;
  }
}

function needsTime(content: InputContent): boolean {
  const last = typeof content === "string" ? content : content[typedPartIndex(content)];
  const text = typeof last === "string" ? last : last?.kind === "text" ? last.text : "";
  return NAMED.test(text.trim()) || text.includes("@");
}

async function expandText(
  text: string,
  open: OpenSession,
  options: ExpansionOptions,
): Promise<InputContent | undefined> {
  const attach = async () => {
    if (!text.includes("@")) return text;
    return (
      options.attach?.(text) ??
      (await import("./attachments.ts")).withProjectFiles(text, open.session.env, open.permissions)
    );
  };
  const [, name, argument = ""] = NAMED.exec(text.trim()) ?? [];
  if (name === undefined) return attach();
  const commands = options.commands ?? (await open.parts.commands(name));
  const named = commands.find((one) => one.name === name && "expand" in one);
  const command = named && "expand" in named ? named : undefined;
  if (!command) {
    const isText = text.trim().includes("\n") || isPath(name);
    if (isText || options.commands?.some((one) => one.name === name)) return attach();
    const known = [...commands.map((one) => one.name), ...(options.ofHost ?? [])];
    const { builtinCommands } = await import("./commands/builtin.ts");
    const isElsewhere = builtinCommands().get(name) !== undefined;
    const why = isElsewhere ? `/${name} works only at a terminal.` : noSuchCommandHere(name, known);
    throw usageError(`${why} To send it as text, begin with another word.`);
  }
  if (command.acts && options.isQueued)
    throw usageError(`/${name} runs at once and cannot wait or steer. Send it as a prompt.`);
  const given = argument.trim();
  if (!command.acts && command.givesText?.(given) !== false) refuseAsAnswer(name, open);
  try {
    const expanded = await command.expand(given, open);
    if (expanded !== undefined) refuseAsAnswer(name, open);
    return expanded;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.failed, `/${name} failed: ${sentence(messageOf(error))}`, { cause: error });
  }
}
