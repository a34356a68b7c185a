// Memory in the database of this machine, as one session uses it.

import type { Session } from "@lathe/agent";
import { ToolFailure } from "@lathe/agent/contract";
import type { Redactor } from "@lathe/agent/policy";
import {
  type EditRequest,
  type MemoryBackend,
  NONE_FOUND,
  NOTHING_TO_REFLECT,
  REFLECTED,
  type RetainRequest,
} from "./backend.ts";
import { refusals } from "./fit-to-remember.ts";
import { cleanText, dateOf, LONGEST_TEXT, minuteOf, projectFor, type RestsOn } from "./memory.ts";
import type { CheckedMemory, MemoryPlace } from "./memory-place.ts";
import type { FoundMemory } from "./memory-store.ts";
import { pathsIn } from "./paths-in.ts";
import { saidIn } from "./said-in.ts";
import { countOf } from "./words.ts";

/** Some of the best may be withheld. */
const SPARE = 3;

export interface LocalMemoryParts {
  readonly place: MemoryPlace;
  readonly session: () => Session;
  readonly redactor: Redactor;
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
    const { place, now } = this.#parts;
    if (isShared && place.scoping === "per-project")
      throw new ToolFailure("Memories are kept per project here (memory.scoping): leave `shared` out.");
    const kept = this.#fit(text);
    const project = projectFor(place.scoping, place.project, isShared);
    const rests = await this.#filesOf(kept.text, files);
    const store = await place.store();
    const id = store.add({ ...kept, project, origin: "retained", ...this.#source(), at: now(), files: rests });
    await place.keepHint(project);
    return [`Retained as memory ${id}${restingOn(rests)}.`, ...kept.notes].join(" ");
  }

  async edit({ id, text, files }: EditRequest): Promise<string> {
    const { place, now } = this.#parts;
    const store = await place.store();
    const known = store.get(id, place.seen);
    if (!known) throw new ToolFailure(`There is no memory ${id} here. Use an id from memory_recall.`);
    if (text === undefined) {
      store.forget(known);
      await place.keepHint(known.project);
      return `Memory ${id} is forgotten.`;
    }
    const kept = this.#fit(text);
    const rests = await this.#filesOf(kept.text, files);
    const isThere = store.update(known, { text: kept.text, ...this.#source(), at: now(), files: rests });
    if (!isThere) throw new ToolFailure(`Memory ${id} was forgotten meanwhile.`);
    await place.keepHint(known.project);
    return [`Memory ${id} is updated${restingOn(rests)}.`, ...kept.notes].join(" ");
  }

  async #find(query: string): Promise<{ readonly fresh: readonly Found[]; readonly withheld: readonly Found[] }> {
    const { place, mostRecalled } = this.#parts;
    const store = await place.store();
    const checked = await place.check(store.search(query, place.seen, mostRecalled * SPARE));
    const fresh = checked.filter(({ changed }) => changed.length === 0).slice(0, mostRecalled);
    const last = fresh.length < mostRecalled ? checked.length : checked.indexOf(fresh.at(-1) as Found);
    return { fresh, withheld: checked.slice(0, last).filter(({ changed }) => changed.length > 0) };
  }

  /** As it may be kept; else the call fails with why not. */
  #fit(given: string): { readonly text: string; readonly notes: readonly string[] } {
    const plain = cleanText(given);
    if (plain === "") throw new ToolFailure("Give `text`: one statement worth knowing in later sessions.");
    if (plain.length > LONGEST_TEXT)
      throw new ToolFailure(
        `A memory is one statement of at most ${LONGEST_TEXT} characters; this has ${plain.length}.`,
      );
    const [refusal] = refusals([plain], saidIn(this.#parts.session().journal));
    if (refusal !== undefined) throw new ToolFailure(refusal);
    const text = this.#parts.redactor.redactForSharing(plain);
    return { text, notes: text === plain ? [] : ["What looked like a secret was left out."] };
  }

  /** Named files must be there; those that the text mentions count where they are in the project. */
  async #filesOf(text: string, named: readonly string[]): Promise<readonly RestsOn[]> {
    const { place, session } = this.#parts;
    const { env } = session();
    const given = named.map((path) => place.digests.nameOf(env.resolve(path)));
    const rests = await place.digests.of(given);
    const missing = named.find((_path, i) => !rests.some(({ path }) => path === given[i]));
    if (missing !== undefined)
      throw new ToolFailure(`${missing} is no file that can be read. Name files that show it.`);
    const mentioned = pathsIn(text).map((path) => place.digests.nameOf(env.resolve(path)));
    return [
      ...rests,
      ...(await place.digests.of(mentioned.filter((path) => !/^(?:\/|\.\.)/.test(path) && !given.includes(path)))),
    ];
  }

  #source(): { readonly session: string; readonly entry: string } {
    const { journal } = this.#parts.session();
    return { session: journal.header.id, entry: journal.leaf ?? "" };
  }
}

type Found = CheckedMemory<FoundMemory>;

function bulletOf({ id, text, origin, at, score, files }: FoundMemory): string {
  const rests = files.length === 0 ? "" : ` rests on ${files.map(({ path }) => path).join(", ")}`;
  return `- ${text} (id: ${id}) [${origin}] (${dateOf(at)}) c:${score.toFixed(2)}${rests}`;
}

function withheldLine(withheld: readonly CheckedMemory[]): string {
  const files = [...new Set(withheld.flatMap(({ changed }) => changed))].slice(0, 5).join(", ");
  const ids = withheld.map(({ memory }) => memory.id).join(", ");
  return `Withheld as stale (id: ${ids}), because files that they rest on have changed: ${files}. Look at the files instead, then update or forget them with memory_edit.`;
}

const restingOn = (files: readonly RestsOn[]): string =>
  files.length === 0 ? "" : `, withheld once one of these changes: ${files.map(({ path }) => path).join(", ")}`;
