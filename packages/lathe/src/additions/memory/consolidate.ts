// Summarizes all memories of a project: asks a model, and keeps the parts of its answer that are based on existing
// notes.

import { createHash } from "node:crypto";
import type { Redactor } from "@lathe/agent/policy";
import { Message } from "@lathe/llm";
import { Checker, integer, listOf, openObject, optional, text } from "@lathe/llm/schema";
import { jsonIn } from "./answer-json.ts";
import type { AskModel } from "./ask-model.ts";
import prompt from "./consolidate.md";
import { isDirective, isRule } from "./directive.ts";
import { cleanText, LONGEST_TEXT, type Memory } from "./memory.ts";
import type { Digest } from "./memory-work.ts";
import { mentionsHost, networkNamesIn } from "./network-names.ts";

const item = openObject({ text: text(), from: listOf(integer()) });
const answer = openObject({
  summary: listOf(item),
  sections: optional(listOf(openObject({ title: text(), items: listOf(item) }))),
  playbooks: optional(listOf(openObject({ name: text(), about: text(), body: text(), from: listOf(integer()) }))),
});
interface Item {
  readonly text: string;
  readonly from: readonly number[];
}
const checker = new Checker<{
  readonly summary: readonly Item[];
  readonly sections?: readonly { readonly title: string; readonly items: readonly Item[] }[];
  readonly playbooks?: Digest["playbooks"];
}>(answer);

const ANSWER_TOKENS = 12_000;
const MOST_CHARS = 80_000;
const MOST_ITEMS = 60;
const MOST_SECTIONS = 20;
const MOST_PLAYBOOKS = 20;
const LONGEST_PLAYBOOK = 6_000;
const UNNAMED = "Notes";
const PLAYBOOK_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export interface DigestInput {
  /** Newest first. */
  readonly memories: readonly Memory[];
  readonly synopses: readonly string[];
}

/** Identifies the input of a digest: the same input needs no new digest. */
export const nameOfInput = ({ memories, synopses }: DigestInput): string =>
  createHash("sha256")
    .update(JSON.stringify([memories.map(({ id, text: what }) => [id, what]), synopses]))
    .digest("hex");

/** Undefined if the answer cannot be parsed. */
export async function consolidate(
  { memories, synopses }: DigestInput,
  { ask, redactor }: { readonly ask: AskModel; readonly redactor: Redactor },
): Promise<Digest | undefined> {
  let room = MOST_CHARS;
  const sent = memories.filter(({ text: what }) => {
    room -= what.length;
    return room >= 0;
  });
  const notes = sent.map(({ id, text: what }) => ({ id, text: what }));
  const { text: said } = await ask("memory_digest", {
    messages: [
      Message.system(prompt.trim()),
      Message.user(JSON.stringify(redactor.redactForSharing({ notes, synopses }))),
    ],
    maxTokens: ANSWER_TOKENS,
  });
  const given = jsonIn(said);
  if (!checker.fits(given)) return undefined;
  const known = new Map(sent.map((memory) => [memory.id, memory]));
  const fit = (items: readonly Item[]): Item[] =>
    items.slice(0, MOST_ITEMS).flatMap((one) => fitItem(one, known, redactor));
  return {
    of: sent.map(({ id }) => id),
    summary: fit(given.summary),
    sections: (given.sections ?? []).slice(0, MOST_SECTIONS).flatMap(({ title, items }) => {
      const kept = fit(items);
      const [head] = fitItem({ text: title.slice(0, 80), from: kept.flatMap(({ from }) => from) }, known, redactor);
      return kept.length === 0 ? [] : [{ title: head?.text ?? UNNAMED, items: kept }];
    }),
    playbooks: (given.playbooks ?? []).slice(0, MOST_PLAYBOOKS).flatMap(({ name, about, body, from }) => {
      const lines = body
        .slice(0, LONGEST_PLAYBOOK)
        .split("\n")
        .flatMap((line) => fitItem({ text: line, from }, known, redactor, isRule));
      const [head] = fitItem({ text: about, from }, known, redactor);
      if (!PLAYBOOK_NAME.test(name) || !head || lines.length === 0) return [];
      return [{ name, about: head.text, body: lines.map((line) => line.text).join("\n"), from: head.from }];
    }),
  };
}

/**
 * Keeps an item only if it is based on existing notes, and only gives instructions or names addresses if one of those
 * notes does; notes were judged when they were made.
 */
function fitItem(
  { text: given, from }: Item,
  known: ReadonlyMap<number, Memory>,
  redactor: Redactor,
  orders: (text: string) => boolean = isDirective,
): Item[] {
  const what = cleanText(given);
  const notes = from.map((id) => known.get(id));
  if (what === "" || what.length > LONGEST_TEXT || notes.length === 0 || notes.includes(undefined)) return [];
  if (networkNamesIn(what).some((host) => !notes.some((note) => note && mentionsHost(note.text, host)))) return [];
  if (orders(what) && !notes.some((note) => note && isDirective(note.text))) return [];
  return [{ text: redactor.redactForSharing(what), from }];
}
