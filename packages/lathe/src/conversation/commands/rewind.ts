// /rewind, /undo and /redo: conversation and files go back and forth together.

import type { RewindRequest } from "@lathe/agent";
import { textOf } from "@lathe/llm";
import { canBeForced, doneLine, excerpt, leftLines, type ReportedRewind } from "../../rewind/report.ts";
import { usageError } from "../../usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { chooseFrom } from "./choice.ts";
import type { CommandView, SlashCommand } from "./command.ts";

const WORDS: readonly string[] = ["files", "conversation", "force"];

export const rewind: SlashCommand = {
  name: "rewind",
  arguments: "[entry] [files|conversation] [force]",
  description: "go back to before one of your messages: conversation and files, or one of them",
  complete: (conversation, typed) =>
    [...conversation.branchPoints().map(({ id }) => id), ...WORDS].filter((word) => word.startsWith(typed)),
  run: async (conversation, argument, view) => {
    const { words, options } = read(argument, 1);
    const entryId = words[0] ?? (await chosenPoint(conversation, view));
    if (entryId === undefined) return view.line("Nothing was rewound.", "dim");
    report(conversation, view, await conversation.rewind(entryId, options), `/rewind ${entryId} force`);
  },
};

export const undo: SlashCommand = {
  name: "undo",
  arguments: "[files|conversation] [force]",
  description: "take back your last message and what came of it, files included",
  run: async (conversation, argument, view) => {
    const { options } = read(argument, 0);
    const last = conversation.branchPoints().at(-1)?.id ?? "";
    report(conversation, view, await conversation.undo(options), `/rewind ${last} force`);
  },
};

export const redo: SlashCommand = {
  name: "redo",
  arguments: "[force]",
  description: "take the last rewind back",
  run: async (conversation, argument, view) => {
    const { options } = read(argument, 0);
    const done = await conversation.redo(options.force === undefined ? {} : { force: options.force });
    report(conversation, view, done, "/redo force", "The rewind was taken back.");
  },
};

/** Words in any order. */
function read(argument: string, most: number): { words: string[]; options: Omit<RewindRequest, "to"> } {
  const given = argument.split(/\s+/).filter((word) => word !== "");
  const words = given.filter((word) => !WORDS.includes(word));
  if (words.length > most) throw usageError(`"${words[most]}" is not known here. Choose from: ${WORDS.join(", ")}.`);
  const [files, conversation] = [given.includes("files"), given.includes("conversation")];
  const parts = files === conversation ? "both" : files ? "files" : "conversation";
  return { words, options: { parts, ...(given.includes("force") ? { force: true } : {}) } };
}

async function chosenPoint(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const points = conversation.branchPoints();
  if (points.length === 0) throw usageError("There is nothing to rewind yet.");
  const items = points.map(({ id, message }) => ({ value: id, label: excerpt(textOf(message)) }));
  return chooseFrom(view, { title: "Go back to before", items, current: items.length - 1 });
}

function report(
  conversation: Conversation,
  view: CommandView,
  done: ReportedRewind,
  again: string,
  redone?: string,
): void {
  view.line(doneLine(done, redone), "dim");
  for (const line of leftLines(done.result.left, conversation.workspace.cwd)) view.line(line, "yellow");
  if (canBeForced(done.result.left)) view.line(`To overwrite them as well: ${again}`, "yellow");
}
