// Commands about the session's tree: show it, move in it, branch off, label entries, move the session.

import type { Session } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { findEntry } from "@lathe/agent/record";
import { withEntryHint } from "../../platform/usage/entry-hint.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import { TREE_FILTERS, type TreeFilter, treeLine, treeRows } from "../../sessions/tree-rows.ts";
import type { Conversation } from "../conversation.ts";
import { isOwn } from "../unsent-messages.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { ChoiceAction, ChoiceItem, CommandView } from "./command-view.ts";
import { foldersLike } from "./folder-completion.ts";

const withHint = <T>(work: () => T | Promise<T>): Promise<T> => withEntryHint("See /tree.", work);
const isFilter = (word: string): word is TreeFilter => (TREE_FILTERS as readonly string[]).includes(word);

/** Splits the argument into its first word and the rest. */
const divideArgument = (argument: string): readonly [string, string] => {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  return [word, rest.trim()];
};

const labels = ({ session }: Conversation, typed: string): string[] =>
  [...session.journal.labels.values()].filter((label) => label.startsWith(typed));

const tree: SlashCommand = {
  name: "tree",
  arguments: "[filter | entry [summary [focus] | no-summary]]",
  description: `show the session's tree (${TREE_FILTERS.join(", ")}), or go to an entry of it`,
  complete: (conversation, typed) => [
    ...TREE_FILTERS.filter((filter) => filter.startsWith(typed)),
    ...labels(conversation, typed),
  ],
  run: async (conversation, argument, view) => {
    const [word, rest] = divideArgument(argument);
    const { journal } = conversation.session;
    const isShown = word === "" || isFilter(word);
    if (isShown && rest !== "") throw usageError(`/tree ${word} takes no further argument, but got "${rest}".`);
    const filter = isFilter(word) ? word : "no-tools";
    const rows = isShown ? [...treeRows(journal, filter)] : [];
    if (isShown && (rows.length === 0 || !view.choose))
      return view.line(
        rows.length === 0 ? "Nothing to show." : rows.map((row) => treeLine(row, view.columns)).join("\n"),
      );
    const target = isShown
      ? await chooseEntry(conversation.session, filter, view)
      : await withHint(() => findEntry(journal, word));
    if (target === undefined) return;
    const wanted = parseSummaryOption(rest);
    const { cancelled, text } = await withHint(() => conversation.navigate(target, wanted));
    if (cancelled !== undefined) return view.line(`Not moved: ${sentence(cancelled)}`, "yellow");
    view.line("The conversation continues from there.", "dim");
    if (text !== undefined) view.prefill(text);
  },
};

/** Keys of the list change which entries it shows and label the selected one. */
function chooseEntry(session: Session, first: TreeFilter, view: CommandView): Promise<string | undefined> {
  let filter = first;
  const show = (chosen: TreeFilter): ChoiceItem<string>[] => {
    filter = chosen;
    const rows = [...treeRows(session.journal, filter)];
    const texts = rows.map((row) => treeLine(row));
    return rows.map(({ id }, i) => ({ value: id, label: texts[i] ?? id }));
  };
  const next = (by: number): TreeFilter => TREE_FILTERS.at((TREE_FILTERS.indexOf(filter) + by) % TREE_FILTERS.length)!;
  const actions: ChoiceAction<string>[] = [
    { name: "filter", does: "to filter", isForList: true, run: async () => show(next(1)) },
    { name: "filterBack", isForList: true, run: async () => show(next(-1)) },
    ...TREE_FILTERS.map(
      (one): ChoiceAction<string> => ({
        name: `filter.${one}`,
        isForList: true,
        run: async () => show(one),
      }),
    ),
    {
      name: "rename",
      does: "to label",
      run: async (id, { ask }) => {
        const said = (await ask("Label (empty: none): "))?.trim();
        if (said !== undefined) await session.label(id, said === "" ? undefined : said);
        return show(filter);
      },
    },
  ];
  const current = [...treeRows(session.journal, filter)].findLastIndex(({ isActive }) => isActive);
  return chooseFrom(view, { title: "Go to", items: show(filter), current, actions });
}

function parseSummaryOption(rest: string): { readonly summarize?: boolean; readonly focus?: string } {
  const [word, focus] = divideArgument(rest);
  if (word === "") return {};
  if (word === "no-summary" && focus === "") return { summarize: false };
  if (word === "summary") return { summarize: true, ...(focus === "" ? {} : { focus }) };
  throw usageError(`"${rest}" is not valid. Use: /tree <entry> [summary [focus] | no-summary]`);
}

const branch: SlashCommand = {
  name: "branch",
  arguments: "[entry]",
  description: "start a new session from one of your messages",
  complete: labels,
  run: async (conversation, argument, view) => {
    const { journal } = conversation.session;
    const entryId =
      argument === "" ? await chooseMessage(conversation, view) : await withHint(() => findEntry(journal, argument));
    if (entryId === undefined) return view.line("No message selected.", "dim");
    const { cancelled, text } = await withHint(() => conversation.branch(entryId));
    if (cancelled !== undefined) return view.line(`Not branched: ${sentence(cancelled)}`, "yellow");
    view.line(`Branched to session ${conversation.session.id}.`, "dim");
    view.prefill(text);
  },
};

async function chooseMessage(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const messages = conversation.branchPoints().filter(isOwn);
  if (messages.length === 0) throw usageError("There is no message yet to branch from.");
  const items = messages.map(({ id, message }) => ({
    value: id,
    label: wordsAndAttachments(message.content).words.replace(/\s+/g, " "),
  }));
  return chooseFrom(view, { title: "Before message", items, current: items.length - 1 });
}

const label: SlashCommand = {
  name: "label",
  arguments: "[entry <name> | entry --clear]",
  description: "label an entry of the session, or list the labels",
  run: async ({ session }, argument, view) => {
    const [word, name] = divideArgument(argument);
    const { journal } = session;
    if (word === "") {
      const rows = [...journal.labels].map(([id, text]) => `${id}  ${text}`);
      return view.line(rows.length === 0 ? "There are no labels. Set one: /label <entry> <name>" : rows.join("\n"));
    }
    if (name === "") throw usageError("Give a name: /label <entry> <name>, or /label <entry> --clear");
    const isCleared = name === "--clear";
    const entryId = await withHint(() => findEntry(journal, word));
    await withHint(() => session.label(entryId, isCleared ? undefined : name));
    view.line(isCleared ? `Cleared the label of ${entryId}.` : `Labelled ${entryId}: ${name}`, "dim");
  },
};

const move: SlashCommand = {
  name: "move",
  arguments: "<folder>",
  description: "move this session to another folder and continue there",
  complete: ({ workspace }, typed) => foldersLike({ cwd: workspace.cwd, userHome: workspace.machine.userHome }, typed),
  run: async (conversation, folder, view) => {
    if (folder === "") throw usageError("Name a folder: /move <folder>");
    const { cancelled } = await withHint(() => conversation.move(folder));
    if (cancelled !== undefined) return view.line(`Not moved: ${sentence(cancelled)}`, "yellow");
    view.line(`This session now works in ${conversation.workspace.cwd}.`, "dim");
  },
};

export const treeCommands: readonly SlashCommand[] = [tree, branch, label, move];
