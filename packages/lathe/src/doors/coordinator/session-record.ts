// What a session's journal says about a turn: whether its prompt was delivered, how its work ended, and the answer. It
// is read without a lock while the session's process writes it.

import { statSync } from "node:fs";
import { FileBlobs, FileStore, Journal, JournalError } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { InputLine, MessageEntry } from "@lathe/agent/contract";
import { journalDepsOf, pathTo, readHead } from "@lathe/agent/record";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { sessionFiles } from "../../sessions/files.ts";
import { idOf } from "../../sessions/find.ts";
import { InputTail } from "./input-tail.ts";

/** How far the journal has got with a prompt. */
export type Progress =
  | { readonly state: "unsaid" | "working" }
  | { readonly state: "ended"; readonly reason: string; readonly error?: string };

export interface TurnAnswer {
  readonly text: string;
  readonly verification: InputLine["verification"];
}

export class SessionRecords {
  readonly #machine: Pick<Machine, "env" | "userHome" | "deps" | "pid">;
  readonly #paths = new Map<string, string>();
  readonly #tails = new Map<string, InputTail>();
  /** The last journal read, and its size at that time. */
  #last: { readonly path: string; readonly size: number; readonly journal: Journal } | undefined;

  constructor(machine: Pick<Machine, "env" | "userHome" | "deps" | "pid">) {
    this.#machine = machine;
  }

  /** Undefined before the session's first message. */
  pathOf(latheSession: string): string | undefined {
    const known = this.#paths.get(latheSession);
    if (known !== undefined && statSync(known, { throwIfNoEntry: false })) return known;
    const { sessions } = homePaths(this.#machine.env, this.#machine.userHome);
    const found = sessionFiles(sessions).find(({ path }) => idOf(path) === latheSession)?.path;
    if (found !== undefined) this.#paths.set(latheSession, found);
    return found;
  }

  /** The session's folder, from the header of its journal. */
  cwdOf(latheSession: string): string | undefined {
    const path = this.pathOf(latheSession);
    return path === undefined ? undefined : readHead(path)?.header.cwd;
  }

  journalOf(latheSession: string): Journal | undefined {
    const path = this.pathOf(latheSession);
    if (path === undefined) return undefined;
    const { size } = statSync(path);
    if (this.#last?.path === path && this.#last.size === size) return this.#last.journal;
    const { env, userHome, deps, pid } = this.#machine;
    const blobs = new FileBlobs(homePaths(env, userHome).blobs, `${pid}`);
    try {
      const journal = Journal.open(new FileStore(path), journalDepsOf(blobs, deps));
      this.#last = { path, size, journal };
      return journal;
    } catch (error) {
      // Its first lines are still being written.
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }

  #tailOf(latheSession: string): InputTail | undefined {
    const path = this.pathOf(latheSession);
    if (path === undefined) return undefined;
    const tail = this.#tails.get(path) ?? new InputTail(path);
    this.#tails.set(path, tail);
    return tail.refresh();
  }

  progressOf(latheSession: string, entryId: string): Progress {
    const tail = this.#tailOf(latheSession);
    if (!tail?.has(entryId)) return { state: "unsaid" };
    const line = tail.inputOf(entryId);
    if (line?.state !== "end") return { state: "working" };
    const error = line.reason === "error" ? tail.lastFailure : undefined;
    return { state: "ended", reason: line.reason ?? "completed", ...(error === undefined ? {} : { error }) };
  }

  /** Whether no input is running. A question can only be open while one is. */
  isIdle(latheSession: string): boolean {
    return this.#tailOf(latheSession)?.last?.state !== "start";
  }

  /** Finds the pasted message in a pane's journal by its text. */
  pastedEntry(latheSession: string, prompt: string, after: string | undefined): string | undefined {
    const journal = this.journalOf(latheSession);
    if (!journal) return undefined;
    const words = plain(prompt);
    let isLater = after === undefined;
    for (const id of journal.entryIds()) {
      if (isLater && journal.meta(id)?.type === "message") {
        const { message } = journal.entry(id) as MessageEntry;
        if (message.role === "user" && plain(textOfContent(message.content)) === words) return id;
      }
      if (id === after) isLater = true;
    }
    return undefined;
  }

  answerOf(latheSession: string, entryId: string): TurnAnswer {
    const tail = this.#tailOf(latheSession);
    const words = tail?.wordsOf(entryId);
    if (words !== undefined) return { text: words, verification: tail?.inputOf(entryId)?.verification };
    const journal = this.journalOf(latheSession);
    if (!journal?.has(entryId)) return { text: "", verification: undefined };
    let verification: TurnAnswer["verification"];
    for (const line of journal.outside("input"))
      if (line.state === "end" && line.entryId === entryId) verification = line.verification;
    return { text: lastText(journal, entryId), verification };
  }
}

/** Removes what pasting changes: control characters and the kind of white space. */
const plain = (words: string): string =>
  words
    .replace(/[^\P{Cc}\s]/gu, "")
    .replace(/\s+/g, " ")
    .trim();

/** The model's last text between this message and the user's next one. */
function lastText(journal: Journal, entryId: string): string {
  const starts = new Set<string>();
  for (const { state, entryId: start } of journal.outside("input")) if (state === "start") starts.add(start);
  const path = pathTo(journal, journal.leaf);
  const at = path.indexOf(entryId);
  const ids = at < 0 ? descendants(journal, entryId) : path.slice(at + 1);
  let text = "";
  for (const id of ids) {
    if (starts.has(id)) break;
    if (journal.meta(id)?.type !== "message") continue;
    const { message } = journal.entry(id) as MessageEntry;
    const said = message.role === "assistant" ? textOfContent(message.content) : "";
    if (said.trim() !== "") text = said;
  }
  return text;
}

/** On an abandoned branch, follows the first children. */
function descendants(journal: Journal, entryId: string): string[] {
  const ids: string[] = [];
  for (let [next] = journal.children(entryId); next !== undefined; [next] = journal.children(next)) ids.push(next);
  return ids;
}
