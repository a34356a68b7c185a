// /rewind, /undo and /redo: move the conversation and the files back and forth together.

import type { RewindRequest } from "@lathe/agent/files";
import { canBeForced, doneLine, leftLines, type ReportedRewind, startLine } from "../../changes/rewind/report.ts";
import { withEntryHint } from "../../platform/usage/entry-hint.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import type { Conversation } from "../conversation.ts";
import { rewindPoints } from "../rewind-session.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const WORDS: readonly string[] = ["files", "conversation", "force"];
type Options = Omit<RewindRequest, "to">;

export const rewind: SlashCommand = {
  name: "rewind",
  arguments: "[entry] [files|conversation] [force]",
  description: "go back to one of your messages: conversation, files or both",
  complete: (conversation, typed) =>
    [...conversation.branchPoints().map(({ id }) => id), ...WORDS].filter((word) => word.startsWith(typed)),
  run: async (conversation, argument, view) => {
    const { words, options: said } = parseWords(argument, WORDS, 1);
    const entry = words[0] ?? (await choosePoint(conversation, view));
    const isOpen = words.length === 0 && entry !== undefined && !/\b(?:files|conversation)\b/.test(argument);
    const parts = isOpen ? await chooseParts(view) : said.parts;
    if (entry === undefined || parts === undefined) return view.line("Nothing was rewound.", "dim");
    const options = { ...said, parts };
    const points = conversation.branchPoints();
    await carryOut(conversation, view, options, (how) =>
      withEntryHint("See: /rewind", () => conversation.rewind(entry, how)),
    );
    const gone = points.find(({ id }) => id.startsWith(entry));
    if (gone && options.parts !== "files") view.prefill(wordsAndAttachments(gone.message.content).words);
  },
};

export const undo: SlashCommand = {
  name: "undo",
  arguments: "[files|conversation] [force]",
  description: "undo your last message and its file changes",
  complete: (_conversation, typed) => WORDS.filter((word) => word.startsWith(typed)),
  run: async (conversation, argument, view) => {
    const { options } = parseWords(argument, WORDS, 0);
    await carryOut(conversation, view, options, (said) => conversation.undo(said));
  },
};

export const redo: SlashCommand = {
  name: "redo",
  arguments: "[force]",
  description: "undo the last rewind",
  complete: (_conversation, typed) => ["force"].filter((word) => word.startsWith(typed)),
  run: async (conversation, argument, view) => {
    const { options } = parseWords(argument, ["force"], 0);
    await carryOut(conversation, view, options, (said) => conversation.redo(said));
  },
};

/** Parses the words, which may come in any order. */
function parseWords(argument: string, known: readonly string[], most: number): { words: string[]; options: Options } {
  const given = argument.split(/\s+/).filter((word) => word !== "");
  const words = given.filter((word) => !known.includes(word));
  if (words.length > most) throw usageError(`"${words[most]}" is not known here. Choose from: ${known.join(", ")}.`);
  const [files, conversation] = [given.includes("files"), given.includes("conversation")];
  const parts = files === conversation ? "both" : files ? "files" : "conversation";
  return { words, options: { parts, ...(given.includes("force") ? { force: true } : {}) } };
}

async function choosePoint(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const points = await rewindPoints(conversation.open);
  if (points.length === 0) throw usageError("There is nothing to rewind yet.");
  const items = points.map(({ id, text, changes }) => ({ value: id, label: text, detail: changes }));
  return chooseFrom(view, { title: "Go back to before", items, current: items.length - 1 });
}

function chooseParts(view: CommandView): Promise<Options["parts"] | undefined> {
  const items = [
    { value: "both", label: "conversation and files" },
    { value: "conversation", label: "only the conversation", detail: "files stay as they are" },
    { value: "files", label: "only the files", detail: "the conversation goes on" },
  ] as const;
  return chooseFrom<NonNullable<Options["parts"]>>(view, { title: "Restore", items, current: 0 });
}

async function carryOut(
  conversation: Conversation,
  view: CommandView,
  options: Options,
  work: (options: Options) => Promise<ReportedRewind>,
): Promise<void> {
  const onPlan = (files: number): void => {
    const line = startLine(files);
    if (line !== undefined) view.line(line, "dim");
  };
  const done = await work({ ...options, onPlan });
  view.line(doneLine(done), "dim");
  for (const line of leftLines(done.result, conversation.workspace.cwd)) view.line(line, "yellow");
  const again = done.entryId === undefined ? "/redo force" : `/rewind ${done.entryId} files force`;
  if (!options.force && canBeForced(done.result.left)) view.line(`To overwrite them as well: ${again}`, "yellow");
}
