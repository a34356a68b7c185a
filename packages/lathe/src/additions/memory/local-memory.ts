// Memory in this machine's database, for one session.

import { ToolFailure } from "@lathe/agent/contract";
import {
  type EditRequest,
  type MemoryBackend,
  NONE_FOUND,
  NOTHING_TO_REFLECT,
  REFLECTED,
  type RetainRequest,
} from "./backend.ts";
import { type CheckedMemory, type FoundMemories, findMemories } from "./find-memories.ts";
import { dateOf, minuteOf, projectFor, type RestsOn } from "./memory.ts";
import type { MemoryPlace } from "./memory-place.ts";
import type { FoundMemory } from "./memory-store.ts";
import type { NoteJudge } from "./note-judge.ts";
import { countOf } from "./words.ts";

export interface LocalMemoryParts {
  readonly place: MemoryPlace;
  readonly judge: NoteJudge;
  readonly now: () => number;
  readonly mostRecalled: number;
}

export class LocalMemory implements MemoryBackend {
  readonly #parts: LocalMemoryParts;

  constructor(parts: LocalMemoryParts) {
    this.#parts = parts;
  }

  async recall(query: string): Promise<string> {
    const { fresh, withheld } = await this.#find(query);
    const lines = fresh.map(({ memory }) => bulletOf(memory));
    const about = withheld.length === 0 ? [] : [withheldLine(withheld)];
    if (lines.length === 0) return [NONE_FOUND, ...about].join("\n\n");
    const found = countOf(lines.length, "relevant memory", "relevant memories");
    return [`Found ${found} (as of ${minuteOf(this.#parts.now())}):`, lines.join("\n"), ...about].join("\n\n");
  }

  async reflect(query: string, context: string): Promise<string> {
    const question = context.trim() === "" ? query : `${query}\n\nAdditional context:\n${context.trim()}`;
    const { fresh, withheld } = await this.#find(question);
    if (fresh.length === 0)
      return [NOTHING_TO_REFLECT, ...(withheld.length === 0 ? [] : [withheldLine(withheld)])].join("\n\n");
    return `${REFLECTED}\n\n${fresh.map(({ memory }) => bulletOf(memory)).join("\n")}`;
  }

  async retain({ text, files, isShared }: RetainRequest): Promise<string> {
    const { place, judge, now } = this.#parts;
    if (isShared && place.scoping === "per-project")
      throw new ToolFailure("Memories are kept per project here (memory.scoping): leave `shared` out.");
    const { remarks, ...note } = await judge.fit(text, files);
    const project = projectFor(place.scoping, place.project, isShared);
    const store = await place.store();
    const id = store.add({ ...note, project, origin: "retained", at: now() });
    await place.keepHint(project);
    return [`Retained as memory ${id}${restingNote(note.files)}.`, ...remarks].join(" ");
  }

  async edit({ id, text, files }: EditRequest): Promise<string> {
    const { place, judge, now } = this.#parts;
    const store = await place.store();
    const known = store.get(id, place.seen);
    if (!known) throw new ToolFailure(`There is no memory ${id} here. Use an id from memory_recall.`);
    if (text === undefined) {
      store.forget(known);
      await place.keepHint(known.project);
      return `Memory ${id} is forgotten.`;
    }
    const { remarks, ...note } = await judge.fit(text, files);
    const isThere = store.update(known, { ...note, at: now() });
    if (!isThere) throw new ToolFailure(`Memory ${id} was forgotten meanwhile.`);
    await place.keepHint(known.project);
    return [`Memory ${id} is updated${restingNote(note.files)}.`, ...remarks].join(" ");
  }

  async #find(query: string): Promise<FoundMemories> {
    const { place, mostRecalled } = this.#parts;
    const { digests, seen } = place;
    return findMemories(query, { store: await place.store(), digests, projects: seen, most: mostRecalled });
  }
}

function bulletOf({ id, text, origin, at, score, files }: FoundMemory): string {
  const rests = files.length === 0 ? "" : ` rests on ${files.map(({ path }) => path).join(", ")}`;
  return `- ${text} (id: ${id}) [${origin}] (${dateOf(at)}) c:${score.toFixed(2)}${rests}`;
}

function withheldLine(withheld: readonly CheckedMemory[]): string {
  const files = [...new Set(withheld.flatMap(({ changed }) => changed))].slice(0, 5).join(", ");
  const ids = withheld.map(({ memory }) => memory.id).join(", ");
  return `Withheld as stale (id: ${ids}), because files that they rest on have changed: ${files}. Look at the files instead, then update or forget them with memory_edit.`;
}

const restingNote = (files: readonly RestsOn[]): string =>
  files.length === 0 ? "" : `, withheld once one of these changes: ${files.map(({ path }) => path).join(", ")}`;
