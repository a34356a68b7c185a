// The registry of keybindings: the name of each action, where it applies, its chords, and the user's changes.

import { chordsOf, parseChord } from "./chord.ts";
import type { KeyPress } from "./key.ts";

export interface Action {
  readonly id: string;
  readonly description: string;
  /** Default chords; the first one is shown in hints. */
  readonly chords: readonly string[];
  /**
   * The context in which it applies ("editor", "select", "app"). A chord may mean different things in different
   * contexts.
   */
  readonly context: string;
}

/** Several actions of one context share a chord; the first gets the key. */
export interface Conflict {
  readonly context: string;
  readonly chord: string;
  readonly actions: readonly string[];
}

export type Remaps = Readonly<Record<string, string | readonly string[]>>;

export class Bindings {
  readonly actions: readonly Action[];
  /** One line per entry of the user that cannot take effect; its action keeps the defaults. */
  readonly problems: readonly string[];
  readonly #chords = new Map<string, readonly string[]>();
  readonly #byContext = new Map<string, Map<string, string[]>>();

  /** A remapped action loses its defaults; `[]` leaves it without keys. */
  constructor(actions: readonly Action[], remaps: Remaps = {}) {
    this.actions = actions;
    const problems: string[] = [];
    const changed = new Map<string, readonly string[]>();
    const ids = actions.map(({ id }) => id);
    for (const [written, chords] of Object.entries(remaps)) {
      const id = findAction(written.toLowerCase(), ids);
      if (id === undefined) {
        problems.push(`Keybinding "${written}": there is no such action.`);
        continue;
      }
      const parsed = parseChords(id, typeof chords === "string" ? [chords] : chords, problems);
      if (parsed !== undefined) changed.set(id, parsed);
    }
    // The user's own bindings win over defaults with the same chord.
    const ordered = [...actions.filter(({ id }) => changed.has(id)), ...actions.filter(({ id }) => !changed.has(id))];
    for (const action of ordered) this.#register(action, changed.get(action.id) ?? defaultChords(action));
    this.problems = problems;
  }

  match(key: KeyPress, context: string): string | undefined {
    const chords = this.#byContext.get(context);
    if (chords === undefined) return undefined;
    for (const chord of chordsOf(key)) {
      const actions = chords.get(chord);
      if (actions !== undefined) return actions[0];
    }
    return undefined;
  }

  chords(action: string): readonly string[] {
    return this.#chords.get(action) ?? [];
  }

  conflicts(): readonly Conflict[] {
    return [...this.#byContext].flatMap(([context, chords]) =>
      [...chords].filter(([, actions]) => actions.length > 1).map(([chord, actions]) => ({ context, chord, actions })),
    );
  }

  #register({ id, context }: Action, chords: readonly string[]): void {
    this.#chords.set(id, chords);
    const taken = this.#byContext.get(context) ?? new Map<string, string[]>();
    this.#byContext.set(context, taken);
    for (const chord of new Set(chords)) taken.set(chord, [...(taken.get(chord) ?? []), id]);
  }
}

/** Older files omit the first words of an id. An id that could mean two actions matches none. */
function findAction(written: string, ids: readonly string[]): string | undefined {
  const whole = ids.find((id) => id.toLowerCase() === written);
  const [ending, ...others] = ids.filter((id) => id.toLowerCase().endsWith(`.${written}`));
  return whole ?? (others.length === 0 ? ending : undefined);
}

/** Actions of one context that share a default chord: a mistake in the registry. */
export const detectDefaultKeyCollisions = (actions: readonly Action[]): readonly Conflict[] =>
  new Bindings(actions).conflicts();

/** Parses the chords; undefined if none is valid. Adds one line per problem. */
function parseChords(id: string, written: readonly string[], problems: string[]): readonly string[] | undefined {
  const chords: string[] = [];
  for (const text of written) {
    const parsed = parseChord(String(text));
    if ("chord" in parsed) chords.push(parsed.chord);
    else problems.push(`Keybinding "${id}": "${text}" is not a chord: ${parsed.problem}.`);
  }
  return chords.length === 0 && written.length > 0 ? undefined : chords;
}

function defaultChords({ id, chords }: Action): readonly string[] {
  return chords.map((text) => {
    const parsed = parseChord(text);
    if ("problem" in parsed) throw new Error(`Default chord "${text}" of ${id}: ${parsed.problem}`);
    return parsed.chord;
  });
}
