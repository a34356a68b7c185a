// Markdown files as slash commands (EX-06) and prompt templates (EX-12): `/name arguments` is sent as the text of the file.

import { readFile, realpath } from "node:fs/promises";
import { relative } from "node:path";
import type { InputContent, InputPart } from "@lathe/agent";
import { oneLine } from "@lathe/agent/base";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { fileParts } from "../../conversation/attachments.ts";
import type { OpenSession, PromptCommand } from "../../conversation/session-contract.ts";
import type { Found, MarkdownValue } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { expand } from "./expansion.ts";
import { type Included, withIncludes } from "./includes.ts";
import shellNote from "./shell-note.md";

const LONGEST_DESCRIPTION = 60;

export function fileCommand(workspace: Workspace, found: Found<MarkdownValue>): PromptCommand {
  const { name, value } = found;
  const hint = value.frontmatter["argument-hint"];
  return {
    name,
    description: describe(value),
    arguments: typeof hint === "string" && hint !== "" ? hint : "[arguments]",
    whileWorking: true,
    expand: (typed, open) => expandFile(workspace, found, typed, open),
  };
}

/** The description in the frontmatter, or else the first line of the text. */
function describe({ frontmatter, body }: MarkdownValue): string {
  const { description } = frontmatter;
  if (typeof description === "string" && description.trim() !== "") return oneLine(description);
  const first = oneLine(body.split("\n").find((line) => line.trim() !== "") ?? "");
  return first.length > LONGEST_DESCRIPTION ? `${first.slice(0, LONGEST_DESCRIPTION - 1)}…` : first;
}

async function expandFile(
  workspace: Workspace,
  { source, value }: Found<MarkdownValue>,
  typed: string,
  { session }: OpenSession,
): Promise<InputContent> {
  const { cwd, roots, machine, paths } = workspace;
  const isStrangers = source.level === "project" || source.level === "plugin";
  const included = await withIncludes(
    {
      path: source.path,
      text: withShellNote(expand(value.body, typed)),
      firstLine: await firstLineOf(source.path, value.body),
    },
    {
      cwd,
      userHome: machine.userHome,
      latheHome: paths.home,
      typed,
      within: isStrangers ? [...roots, await realpath(value.folder)] : undefined,
    },
  );
  if (included.text.trim() === "" && included.attached.length === 0)
    throw usageError(`${source.path} contains no text to send.`);
  for (const warning of included.warnings) session.warn(warningLine(warning), "include");
  return contentOf(included, workspace);
}

/**
 * `!`command`` in other agents' files: there its output becomes part of the text. Here the model runs it, as an
 * ordinary call that may need approval.
 */
const SHELL = /(?<![\w\\])!(?:`[^`\n]+`|\{[^}\n]+\})/;

const withShellNote = (text: string): string => (SHELL.test(text) ? `${text}\n\n${shellNote.trim()}` : text);

async function contentOf({ text, attached }: Included, { cwd, machine }: Workspace): Promise<InputContent> {
  if (attached.length === 0) return text;
  const parts: InputPart[] = [];
  for (const file of attached) {
    const below = relative(cwd, file);
    parts.push(...(await fileParts(below.startsWith("..") ? file : below, { ...machine, cwd })));
  }
  return [...parts, { kind: "text", text }];
}

/** The frontmatter comes before the text. */
async function firstLineOf(path: string, body: string): Promise<number> {
  const whole = await readFile(path, "utf8");
  return whole.slice(0, Math.max(0, whole.indexOf(body))).split("\n").length;
}
