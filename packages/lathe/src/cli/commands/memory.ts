// `lathe memory list|show|search|view|forget|clear|rebuild`: the notes that sessions left for later ones, to read and
// to delete.

import { LocalEnvironment } from "@lathe/agent";
import { clearMemories } from "../../additions/memory/clear.ts";
import { viewOf } from "../../additions/memory/command.ts";
import type { CheckedMemory } from "../../additions/memory/find-memories.ts";
import { dateOf, type Memory } from "../../additions/memory/memory.ts";
import { originOf } from "../../additions/memory/memory-addresses.ts";
import { MemoryPlace } from "../../additions/memory/memory-place.ts";
import { isMemoryOn } from "../../additions/memory/switches.ts";
import { MEMORY_IS_ELSEWHERE, MEMORY_IS_OFF } from "../../additions/memory/words.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { visible } from "../../sessions/visible.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

type Verb = (argv: readonly string[], at: { readonly place: MemoryPlace; readonly machine: Machine }) => Promise<void>;

const MOST_LISTED = 50;

export const memoryCommand: Command = async (argv, machine): Promise<ExitCode> => {
  const [name = "list", ...rest] = argv[0]?.startsWith("-") ? ["list", ...argv] : argv;
  if (name === "rebuild") return (await import("./memory/rebuild.ts")).rebuildMemory(rest, machine);
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb)
    throw usageError(
      `Unknown command "lathe memory ${name}". Choose one of ${Object.keys(VERBS).join(", ")}, rebuild. See: lathe memory --help`,
    );
  const workspace = await new Run(machine).open({});
  const env = new LocalEnvironment({ cwd: workspace.cwd, baseEnv: workspace.env });
  const place = new MemoryPlace(workspace, () => env, true);
  try {
    await verb(rest, { place, machine });
    // Only printed with a result: a usage error is a single line.
    if (!isMemoryOn(workspace.settings)) machine.stderr.write(`lathe: ${MEMORY_IS_OFF}\n`);
    if (workspace.settings["memory.backend"] === "hindsight") machine.stderr.write(`lathe: ${MEMORY_IS_ELSEWHERE}\n`);
    return EXIT.done;
  } finally {
    await place.close();
    await env.cleanup();
  }
};

const list: Verb = async (argv, { place, machine }) => {
  const { values, positionals } = verbArgs(
    argv,
    { json: { type: "boolean" }, limit: { type: "string", short: "n" } },
    "memory",
  );
  noMore("list", positionals);
  const most = values.limit === undefined ? MOST_LISTED : countOf(values.limit);
  const store = await place.store();
  const memories = await place.check(store.list(place.seen, most === 0 ? Number.MAX_SAFE_INTEGER : most));
  print(machine, memories, values.json === true, "Nothing is remembered here yet.");
};

const search: Verb = async (argv, { place, machine }) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "memory");
  if (positionals.length === 0) throw usageError("Give words to search for: lathe memory search <words>");
  const store = await place.store();
  const found = await place.check(store.search(positionals.join(" "), place.seen, MOST_LISTED));
  print(machine, found, values.json === true, "No note contains these words.");
};

const show: Verb = async (argv, { place, machine }) => {
  const { positionals } = verbArgs(argv, {}, "memory");
  const [memory, ...more] = await findMemories(place, positionals.slice(0, 1));
  noMore("show", positionals.slice(1));
  if (!memory || more.length > 0) throw usageError("Give the id of a note: lathe memory show <id>");
  const [checked] = await place.check([memory]);
  const stale = checked && checked.changed.length > 0 ? [`stale: ${checked.changed.join(", ")} changed since`] : [];
  machine.stdout.write(`${[memory.text, "", ...originOf(memory), ...stale].map(visible).join("\n")}\n`);
};

const view: Verb = async (argv, { place, machine }) => {
  noMore("view", verbArgs(argv, {}, "memory").positionals);
  machine.stdout.write(`${visible(await viewOf(place))}\n`);
};

const forget: Verb = async (argv, { place, machine }) => {
  const { positionals } = verbArgs(argv, {}, "memory");
  const memories = await findMemories(place, positionals);
  if (memories.length === 0) throw usageError("Give the ids of the notes to forget: lathe memory forget <id>…");
  const store = await place.store();
  for (const memory of memories) {
    store.forget(memory);
    await place.keepHint(memory.project);
    machine.stdout.write(`Forgot ${memory.id}: ${visible(memory.text)}\n`);
  }
};

const clear: Verb = async (argv, { place, machine }) => {
  const { values, positionals } = verbArgs(argv, { all: { type: "boolean" } }, "memory");
  noMore("clear", positionals);
  machine.stdout.write(`${await clearMemories(place, { all: values.all === true })}\n`);
};

const VERBS: Readonly<Record<string, Verb>> = { list, show, search, view, forget, clear };

/** Looks up all notes before any of them is changed. */
async function findMemories(place: MemoryPlace, ids: readonly string[]): Promise<readonly Memory[]> {
  const store = await place.store();
  return ids.map((id) => {
    const memory = store.get(numberOf("A note", id), place.seen);
    if (!memory) throw usageError(`There is no note ${id} here. See: lathe memory list`);
    return memory;
  });
}

function numberOf(what: string, given: string): number {
  if (!/^\d{1,15}$/.test(given))
    throw usageError(`${what} is named by a number, not "${given}". See: lathe memory list`);
  return Number(given);
}

function countOf(given: string): number {
  if (!/^\d{1,15}$/.test(given)) throw usageError(`-n takes a number, 0 for all, not "${given}".`);
  return Number(given);
}

function noMore(verb: string, [word]: readonly string[]): void {
  if (word !== undefined) throw usageError(`lathe memory ${verb} takes no "${word}". See: lathe memory --help`);
}

function print({ stdout }: Machine, memories: readonly CheckedMemory[], isJson: boolean, none: string): void {
  if (isJson)
    stdout.write(
      `${JSON.stringify(
        memories.map(({ memory, changed }) => ({ ...memory, changed })),
        null,
        2,
      )}\n`,
    );
  else if (memories.length === 0) stdout.write(`${none}\n`);
  else for (const one of memories) stdout.write(`${visible(rowOf(one))}\n`);
}

function rowOf({ memory: { id, text, at, files }, changed }: CheckedMemory): string {
  const rests = files.map(({ path }) => path).join(", ");
  const state = changed.length > 0 ? ` (stale: ${changed.join(", ")} changed)` : rests === "" ? "" : ` (${rests})`;
  return `${id}  ${dateOf(at)}  ${text}${state}`;
}
