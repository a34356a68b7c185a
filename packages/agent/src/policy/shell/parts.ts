// Creates the parts of an analysis: unwraps wrappers and describes each simple command.

import { posix } from "node:path";
import {
  type FoundFiles,
  foundKey,
  type OuterForm,
  type ShellAssignment,
  type ShellContext,
  type ShellDanger,
  type ShellPart,
} from "../../contract/shell.ts";
import { judgeBuiltin } from "./builtins.ts";
import { hasLookAlike } from "./characters.ts";
import { dangerOf, pathDanger, programName } from "./danger.ts";
import { type Harmless, harmlessOf, TOP } from "./harmless.ts";
import { scriptInput } from "./interpreters.ts";
import { isPlainPath, move, type Place, resolve } from "./places.ts";
import { protectedPath } from "./protected-paths.ts";
import type { RedirectEffects } from "./redirects.ts";
import type { ShellWord } from "./shell-words.ts";
import { startsProgram } from "./starts-programs.ts";
import { type Dialect, ShellDoubt } from "./syntax.ts";
import { usesUnnamedFiles } from "./unnamed-files.ts";
import type { Unwrapped, Wrapped } from "./unwrapped.ts";
import { isExported, isHarmlessAssignment, sensitiveName, strangeVariable, type VariableFacts } from "./variables.ts";
import { unwrap } from "./wrappers.ts";

/** The context in which a command was reached. */
export interface Reached {
  readonly context: ShellContext;
  readonly through: readonly string[];
  readonly outer: readonly OuterForm[];
  readonly isElsewhere: boolean;
  /** Its assignments, including those of enclosing commands. */
  readonly assignments: readonly ShellWord[];
  /** Its input comes from another command or a file. */
  readonly isPiped: boolean;
  /** Paths that another command pipes into it. */
  readonly piped: FoundFiles | undefined;
  readonly depth: number;
  /** The shell that parses the text. */
  readonly dialect: Dialect;
  /** The assignments of the text that contains it. */
  readonly facts: VariableFacts | undefined;
  /** Functions that the text defines before anything runs; what they run is analysed as separate parts. */
  readonly functions: ReadonlySet<string> | undefined;
}

export interface SeenCommand {
  readonly text: string;
  readonly words: readonly ShellWord[];
  readonly effects: RedirectEffects;
}

export interface Collector {
  readonly parts: ShellPart[];
  /** Analyses a text that a command passes to a shell. */
  readonly script: (text: string, reached: Reached, place: Place) => void;
}

/** Adds the parts of a simple command; a `cd` moves `place`. */
export function addCommand(seen: SeenCommand, reached: Reached, place: Place, to: Collector): void {
  const program = seen.words[0];
  const unclear = program && unclearProgram(program);
  const name = programName(program?.value ?? "");
  const wrapped = program && !unclear ? unwrapAt(seen.words, name, reached.depth) : undefined;
  const doubt = unclear ?? (wrapped && "doubt" in wrapped ? wrapped.doubt : undefined);
  if (!program || doubt !== undefined) {
    addPart(seen, reached, place, to, { doubt });
    return;
  }
  if (!wrapped || "doubt" in wrapped || wrapped.isJudged) addProgram(seen, name, reached, place, to);
  if (wrapped && !("doubt" in wrapped)) addWrapped(wrapped, seen, reached, place, to);
}

function unclearProgram({ value, isKnown }: ShellWord): string | undefined {
  if (!isKnown || value === "" || value.startsWith("-")) return "which program runs is not known before it runs";
  return hasLookAlike(value) ? "the name of the program has unusual characters" : undefined;
}

function unwrapAt(words: readonly ShellWord[], name: string, depth: number): Unwrapped {
  return depth > 8 ? { doubt: "nested too deeply" } : unwrap(words, name);
}

function addWrapped(wrapped: Wrapped, seen: SeenCommand, reached: Reached, place: Place, to: Collector): void {
  const { inner, assignments = [], directory } = wrapped;
  const at = "words" in inner ? inner.at : undefined;
  const inside: Reached = {
    ...reached,
    through: [...reached.through, wrapped.name],
    outer: [
      ...reached.outer,
      { words: seen.words.map(({ value }) => value), unknown: unknownIn(seen.words), program: at },
    ],
    // A rule made for the directory of the text does not apply in another one. The directory of git is judged with git.
    isElsewhere: reached.isElsewhere || (wrapped.isElsewhere ?? (directory !== undefined && wrapped.name !== "git")),
    assignments: [...reached.assignments, ...assignments],
    depth: reached.depth + 1,
    piped: directory ? undefined : reached.piped,
  };
  const moved = directory && {
    ...place,
    cwd: directory.path === undefined ? undefined : resolve(place, directory.path),
  };
  if ("words" in inner) {
    const effects = withMade(seen.effects, wrapped.makes);
    const isOurs = /^(?:command|builtin|exec)$/.test(wrapped.name);
    const target = moved ?? (isOurs ? place : { ...place });
    for (const words of [inner.words, ...(wrapped.more ?? [])]) {
      const fed = words
        .map((word) => withPipedPaths(word, reached))
        .map((word) => (moved ? movedWord(word, wrapped.name, place) : word));
      addCommand({ ...seen, words: fed, effects }, inside, words === inner.words ? target : { ...target }, to);
    }
    return;
  }
  const before = to.parts.length;
  const where =
    wrapped.name === "trap" ? { cwd: undefined, isCertain: false } : wrapped.name === "eval" ? place : { ...place };
  const isPiped = inside.isPiped || seen.effects.hasInput;
  // The running shell itself parses the texts of `eval` and `trap`.
  const dialect = /^(?:eval|trap)$/.test(wrapped.name) ? reached.dialect : inner.dialect;
  to.script(inner.script, { ...inside, isPiped, dialect }, moved ?? where);
  // The redirections and assignments belong to the shell that runs the text.
  const { writes, reads, doubt, danger, readsUnknown } = seen.effects;
  const isBare = writes.length + reads.length + inside.assignments.length === 0 && !doubt && !danger && !readsUnknown;
  if (!isBare || to.parts.length === before) addPart({ ...seen, words: [] }, inside, place, to, {});
}

function withMade(effects: RedirectEffects, makes: readonly ShellWord[] = []): RedirectEffects {
  if (makes.length === 0) return effects;
  const doubt =
    effects.doubt ?? (makes.every(({ isKnown }) => isKnown) ? undefined : "it makes a file that is not known");
  return { ...effects, writes: [...effects.writes, ...makes.map(({ value }) => value)], doubt };
}

/** xargs appends the paths that the previous command printed. */
function withPipedPaths(word: ShellWord, { piped }: Reached): ShellWord {
  return word.isFed && !word.found ? { ...word, paths: piped?.roots, found: piped } : word;
}

/** After a directory change, found names refer to other files; `-execdir` runs in their directory. */
function movedWord(word: ShellWord, by: string, from: Place): ShellWord {
  const { found } = word;
  if (!found) return word;
  if (by !== "find") return { ...word, isFed: true, found: undefined, paths: undefined };
  return { ...word, found: { ...found, roots: found.roots.map((root) => resolve(from, root) ?? root) } };
}

function addProgram(seen: SeenCommand, name: string, reached: Reached, place: Place, to: Collector): void {
  const { words, effects } = seen;
  const input = scriptInput(words, name, { isPiped: reached.isPiped, effects });
  if (input && "script" in input) {
    addPart(seen, reached, place, to, {});
    const inside = {
      ...reached,
      through: [...reached.through, name],
      depth: reached.depth + 1,
      dialect: input.dialect,
    };
    to.script(input.script, inside, { ...place });
    return;
  }
  if (input && "doubt" in input) {
    addPart(seen, reached, place, to, input);
    return;
  }
  const given = words.map((word) => withPlainNames(word, place.cwd, reached.context));
  const isPlain = isStandard((words[0] as ShellWord).value);
  const builtin = isPlain ? judgeBuiltin(words, name, reached.context) : undefined;
  const isFunction = reached.functions?.has((words[0] as ShellWord).value);
  // A repository that came with the project as data has its own settings, which may name programs.
  const isForeign = name === "git" && !isSameRepository(place, reached.context);
  const judged = isFunction
    ? NOTHING
    : isPlain && !isForeign
      ? harmlessOf(given, name, isTrustedPlace(place, reached.context))
      : undefined;
  const refused = judged && "refused" in judged ? judged : undefined;
  const named = judged && "refused" in judged ? undefined : judged;
  const fed = TELLS_NAMES.test(name)
    ? undefined
    : given.find(({ isFed, found }) => isFed || (found && (found.followsLinks || named?.followsLinks)));
  const listed = fed ? undefined : named;
  const strange = isForeign
    ? "git outside of the session's repository"
    : (refused?.refused ?? builtin?.strange ?? fed?.value);
  const harmless = builtin?.isHarmless ? (listed ?? NOTHING) : builtin ? undefined : listed;
  const scope = { context: reached.context, cwd: place.cwd };
  const isReading = harmless !== undefined && harmless.writes.length === 0;
  const lower = name.toLowerCase();
  const starts = harmless ? undefined : (startsProgram(words, lower) ?? usesUnnamedFiles(words, lower));
  const danger =
    input?.danger ?? dangerOf(words, scope) ?? starts ?? (isReading ? undefined : pathDanger(words, scope));
  const { lacking } = refused ?? {};
  addPart(seen, reached, place, to, { doubt: builtin?.doubt, harmless, danger, strange, lacking, reads: named?.reads });
  if (/^(?:cd|pushd|popd)$/.test(name)) move(place, words, reached.context.home);
}

const NOTHING: Harmless = { reads: [], writes: [] };

/**
 * File names that begin with a dash or contain a blank become options and other files when a glob or another command
 * inserts them. The disk tells whether there are any.
 */
function withPlainNames(word: ShellWord, cwd: string | undefined, { plainNames, plainFound }: ShellContext): ShellWord {
  if (word.isFed) {
    const isPlain = word.found && cwd !== undefined && plainFound?.has(foundKey(word.found, cwd));
    return isPlain ? { ...word, mayBeOption: false, isFed: false } : word;
  }
  const isGlob = !word.isKnown && word.paths?.every((path) => /^[*?[]/.test(path));
  return isGlob && cwd !== undefined && plainNames?.has(cwd) ? { ...word, mayBeOption: false } : word;
}

function isSameRepository({ cwd, isCertain }: Place, context: ShellContext): boolean {
  if (!isCertain || cwd === undefined) return false;
  return context.sameRepository?.has(cwd) ?? cwd === context.cwd;
}

/** Trust applies to one folder: not to its parents, nor to repositories added below it. */
function isTrustedPlace({ cwd, isCertain }: Place, { isTrusted = false, root }: ShellContext): boolean {
  return isTrusted && isCertain && cwd !== undefined && cwd === root;
}

/** Whether a program is called by its plain name, or is in a folder that only the system's owner can write to. */
function isStandard(program: string): boolean {
  return !program.includes("/") || /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/[^/]+$/.test(program);
}

interface Said {
  readonly doubt?: string | undefined;
  readonly danger?: ShellDanger | undefined;
  readonly harmless?: Harmless | undefined;
  /** Files that it reads, as far as its words tell. */
  readonly reads?: readonly string[] | undefined;
  /** The word because of which it is not harmless. */
  readonly strange?: string | undefined;
  /** See ShellPart. */
  readonly lacking?: string | undefined;
}

function addPart(seen: SeenCommand, reached: Reached, place: Place, to: Collector, said: Said): void {
  const { text, words, effects } = seen;
  const { harmless } = said;
  const program = words[0]?.value ?? "";
  const writes = [...effects.writes, ...(harmless?.writes ?? [])];
  const named = harmless?.reads ?? said.reads ?? [];
  const reads = [...effects.reads, ...named.map((path) => fromTop(path, reached.context))];
  const assignments = reached.assignments.map(toAssignment);
  const steering = assignments.filter(({ name, value }) => !isHarmlessAssignment(name, value));
  const doubt =
    said.doubt ??
    effects.doubt ??
    (words.length === 0 && effects.readsUnknown ? "it reads a file that is not known before it runs" : undefined) ??
    steering.map(({ name }) => sensitiveName(name)).find(Boolean) ??
    placeDoubt([...writes, ...reads], writes, place, reached.context);
  const danger = said.danger ?? effects.danger ?? writeDanger(harmless?.writes ?? [], reached, place);
  const isListed = words.length === 0 || harmless !== undefined;
  // Output of the shell itself reads none of them.
  const isOwn = reached.through.length === 0 && PRINTS.test(program);
  // Without a command, assigning an inherited variable affects every program that follows.
  const strangers = words.length > 0 ? steering : steering.filter(({ name }) => isExported(name, reached.context));
  const isTight = strangers.length === 0 || isOwn;
  const isHarmless = isListed && isTight && !doubt && !danger && !reached.isElsewhere && !effects.readsUnknown;
  if (to.parts.length >= MOST_PARTS) throw new ShellDoubt(`it runs more than ${MOST_PARTS} commands`);
  const tellsNames = TELLS_NAMES.test(program);
  const found = words.some((word) => word.found) ? words.flatMap((word) => word.found ?? []) : [];
  // Commands that only use names search nothing.
  const searched = tellsNames ? [] : found;
  to.parts.push({
    text,
    words: words.map(({ value }) => value),
    unknown: unknownIn(words),
    ...(!harmless && { guesses: guessesOf(words) }),
    isLiteral: words.every(({ isKnown }) => isKnown) && effects.doubt === undefined,
    outer: reached.outer,
    through: reached.through,
    isElsewhere: reached.isElsewhere,
    assignments,
    writes,
    reads,
    tracked: (harmless?.tracked ?? []).map((tree) => fromTop(tree, reached.context)),
    trees: [...(harmless?.trees ?? []), ...searched.flatMap(({ roots }) => roots)],
    readsTrees: harmless?.readsTrees,
    followsLinks: harmless?.followsLinks || searched.some((one) => one.followsLinks || !one.skipsLinks),
    copiesLinks: harmless?.copiesLinks,
    picks: [...(harmless?.picks ?? []), ...searched.flatMap(({ names }) => names)],
    found,
    foundUse: tellsNames ? "name" : harmless?.writes.length ? "write" : "read",
    cwd: place.cwd,
    isMoved: place.cwd !== reached.context.cwd || !place.isCertain,
    danger,
    isHarmless,
    strange: isHarmless ? undefined : (said.strange ?? strangeIn(isTight ? [] : strangers)),
    lacking: said.lacking,
    isReadOnly: isHarmless && writes.length === 0 && !harmless?.changes,
    doubt,
  });
}

// Each part is judged, so this bounds the time of a judgement.
const MOST_PARTS = 500;

// Without `:`, because in sh, assignments before it persist.
const PRINTS = /^(?:true|false|echo|printf|test|\[|cd|pwd)$/;

/** They show names and sizes of files, not their content. */
const TELLS_NAMES = /^(?:ls|stat|wc|du|file|basename|dirname|realpath|readlink|echo|printf|test|\[)$/;

function fromTop(path: string, { top, root, cwd }: ShellContext): string {
  return path.startsWith(TOP) ? posix.join(top ?? root ?? cwd, path.slice(TOP.length)) : path;
}

const strangeIn = ([first]: readonly ShellAssignment[]): string | undefined => first && strangeVariable(first.name);

function writeDanger(writes: readonly string[], { context }: Reached, place: Place): ShellDanger | undefined {
  for (const path of writes) {
    const what = protectedPath(path, place.cwd, context.home);
    if (what) return { shape: `write ${path}`, reason: `it changes ${what}` };
  }
  return undefined;
}

/** Paths that refer to different files depending on links and on whether a `cd` succeeded. */
function placeDoubt(
  paths: readonly string[],
  writes: readonly string[],
  place: Place,
  { cwd: start, root = start }: ShellContext,
): string | undefined {
  if (place.cwd === undefined && writes.some((path) => !path.startsWith("/")))
    return "the directory it runs in is not known before it runs";
  // A folder can be moved while a command runs in it, and then `..` leads elsewhere; the project's own folder stays
  // where it is.
  const open =
    paths.find((path) => !isPlainPath(path, place, start)) ??
    (place.cwd === root ? undefined : writes.find((path) => /(?:^|\/)\.\.(?:\/|$)/.test(path)));
  return open === undefined ? undefined : `which file ${open} means is not known before it runs`;
}

function toAssignment(word: ShellWord): { name: string; value?: string } {
  const equals = word.value.indexOf("=");
  const name = word.value.slice(0, equals).replace(/\+$/, "");
  return word.isKnown ? { name, value: word.value.slice(equals + 1) } : { name };
}

/** What the unknown words may turn out to be, as far as the text tells. */
const guessesOf = (words: readonly ShellWord[]): (readonly string[] | undefined)[] =>
  words.every(({ isKnown }) => isKnown) ? [] : words.map(({ paths, found }) => found?.roots ?? paths);

function unknownIn(words: readonly ShellWord[]): number[] {
  return words.every(({ isKnown }) => isKnown) ? [] : words.flatMap(({ isKnown }, index) => (isKnown ? [] : [index]));
}
