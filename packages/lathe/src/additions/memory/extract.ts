// Extracts memories from one session: asks a model, and keeps the parts of its answer that may be remembered.

import { isAbsolute } from "node:path";
import type { Journal } from "@lathe/agent";
import type { Redactor } from "@lathe/agent/policy";
import { Message } from "@lathe/llm";
import { Checker, listOf, openObject, optional, text } from "@lathe/llm/schema";
import { jsonIn } from "./answer-json.ts";
import type { AskModel } from "./ask-model.ts";
import prompt from "./extract.md";
import type { FileDigests } from "./file-digests.ts";
import { refusals } from "./fit-to-remember.ts";
import { cleanText, LONGEST_TEXT, type NewMemory } from "./memory.ts";
import { pathsIn } from "./paths-in.ts";
import { type SessionText, saidByUser, sessionText } from "./session-text.ts";
import { textsOfOthers } from "./texts-by-speaker.ts";

const answer = openObject({
  synopsis: optional(text()),
  memories: listOf(openObject({ text: text(), entry: optional(text()), files: optional(listOf(text())) })),
});
const checker = new Checker<{
  readonly synopsis?: string;
  readonly memories: readonly { readonly text: string; readonly entry?: string; readonly files?: readonly string[] }[];
}>(answer);

const ANSWER_TOKENS = 4_000;
const MOST_MEMORIES = 20;
const SYNOPSIS_CHARS = 400;

export interface ExtractParts {
  readonly project: string;
  readonly digests: FileDigests;
  readonly redactor: Redactor;
  readonly ask: AskModel;
  readonly now: () => number;
}

export interface Extracted {
  readonly synopsis: string;
  readonly memories: readonly NewMemory[];
}

/** Empty if the session has no content or the answer cannot be parsed. */
export async function extract(journal: Journal, parts: ExtractParts): Promise<Extracted> {
  const read = sessionText(journal);
  if (saidByUser(read).length === 0 || !read.parts.some(({ who }) => who === "agent")) return NOTHING;
  const files = read.files.map((path) => parts.digests.nameOf(path));
  const input = parts.redactor.redactForSharing({ session: journal.header.id, said: read.parts, files });
  const { text: said } = await parts.ask("memory", {
    messages: [Message.system(prompt.trim()), Message.user(JSON.stringify(input))],
    maxTokens: ANSWER_TOKENS,
  });
  const given = jsonIn(said);
  if (!checker.fits(given)) return NOTHING;
  const notes = given.memories.slice(0, MOST_MEMORIES);
  const known = await Promise.all(
    notes.map(async ({ text: what, files: named = [] }) => {
      const mentioned = await mentionedIn(cleanText(what), parts.digests);
      return [...new Set([...named.filter((name) => files.includes(name)), ...mentioned])];
    }),
  );
  const shown = await Promise.all(known.map((names) => parts.digests.textOf(names)));
  const told = [given.synopsis ?? "", ...notes.map((one) => one.text)];
  const [synopsis = "", ...memories] = keepFitting(told, ["", ...shown], journal, read, parts);
  const made = notes.map(async ({ entry }, i): Promise<NewMemory[]> => {
    const what = memories[i] ?? "";
    if (what === "") return [];
    const rests = await parts.digests.digestUnchanged(known[i] ?? [], read.endedAt);
    // Its files have changed already, so it would never be shown.
    if (rests === undefined) return [];
    const source = entry !== undefined && journal.has(entry) ? entry : (journal.leaf ?? "");
    const { project, now } = parts;
    return [
      {
        project,
        text: what,
        origin: "extracted",
        session: journal.header.id,
        entry: source,
        at: now(),
        files: rests,
      },
    ];
  });
  return { synopsis: synopsis.slice(0, SYNOPSIS_CHARS), memories: (await Promise.all(made)).flat() };
}

const NOTHING: Extracted = { synopsis: "", memories: [] };

/** The texts that may be remembered; "" replaces each of the others. */
function keepFitting(
  texts: readonly string[],
  shown: readonly string[],
  journal: Journal,
  read: SessionText,
  { redactor }: ExtractParts,
): readonly string[] {
  const clean = texts.map(cleanText);
  const refused = refusals(clean, { byUser: saidByUser(read), byOthers: () => textsOfOthers(journal) }, shown);
  return clean.map((one, i) =>
    refused[i] !== undefined || one.length > LONGEST_TEXT ? "" : redactor.redactForSharing(one),
  );
}

/** Files of the project that the text names. */
async function mentionedIn(text: string, digests: FileDigests): Promise<readonly string[]> {
  const names = pathsIn(text).map((path) => digests.nameOf(digests.absolute(path)));
  const there = await digests.digestAll(names.filter((name) => !isAbsolute(name)));
  return there.map(({ path }) => path);
}
