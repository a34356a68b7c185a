// `memory://`: the memories of this project one by one, and their digest. Stale ones are listed but not shown.

import type { SchemeEntry, SchemeResolver } from "@lathe/agent/contract";
import { digestView } from "./digest-view.ts";
import type { CheckedMemory } from "./find-memories.ts";
import { pageOf } from "./keep-hint.ts";
import { dateOf, type Memory, type RestsOn } from "./memory.ts";
import type { MemoryPlace } from "./memory-place.ts";

const MOST_LISTED = 200;
const PAGE = "MEMORY.md";
const SUMMARY = "memory_summary.md";
const PLAYBOOK = "skills/";
const NOTHING = "Nothing is remembered here yet.";

export const memoryAddresses = (place: MemoryPlace): SchemeResolver => ({
  hasSelectors: true,
  list: async (): Promise<readonly SchemeEntry[]> => {
    const store = await place.store();
    const playbooks = place.seen.flatMap((project) => digestView(store, project).playbooks);
    return [
      ...[PAGE, SUMMARY].map((name) => ({ url: `memory://${name}` })),
      ...playbooks.map(({ name, about }) => ({ url: `memory://${PLAYBOOK}${name}`, about })),
      ...store.list(place.seen, MOST_LISTED).map(({ id }) => ({ url: `memory://${id}` })),
    ];
  },
  read: async (url) => {
    const name = decodeURIComponent(url.slice(url.indexOf("://") + 3)).replace(/\/$/, "");
    if (name === PAGE) return freshPage(place);
    if (name === SUMMARY) return (await place.hint()).text || NOTHING;
    const text = name.startsWith(PLAYBOOK)
      ? await playbookOf(place, name.slice(PLAYBOOK.length))
      : await memoryOf(place, name);
    if (text !== undefined) return text;
    throw new Error(
      `There is no memory "${name}" here. Known: memory://${PAGE}, memory://${SUMMARY}, and the ids that memory_recall shows.`,
    );
  },
});

async function freshPage(place: MemoryPlace): Promise<string> {
  const store = await place.store();
  const pages = await Promise.all(
    place.seen.map(async (project) => {
      const { sections, newer } = digestView(store, project);
      const fresh = await Promise.all(
        sections.map(async ({ title, items }) => ({ title, items: await onlyFresh(place, items) })),
      );
      const notes = await onlyFresh(place, newer);
      const isEmpty = notes.length === 0 && fresh.every(({ items }) => items.length === 0);
      return isEmpty ? [] : [pageOf({ sections: fresh, newer: notes })];
    }),
  );
  return pages.flat().join("\n") || NOTHING;
}

async function onlyFresh<T extends { readonly files: readonly RestsOn[] }>(
  { digests }: MemoryPlace,
  all: readonly T[],
): Promise<readonly T[]> {
  const changed = await Promise.all(all.map(({ files }) => digests.changedFiles(files)));
  return all.filter((_one, i) => changed[i]?.length === 0);
}

async function playbookOf(place: MemoryPlace, name: string): Promise<string | undefined> {
  const store = await place.store();
  const playbook = place.seen
    .flatMap((project) => digestView(store, project).playbooks)
    .find((one) => one.name === name);
  if (!playbook) return undefined;
  const changed = await place.digests.changedFiles(playbook.files);
  return changed.length === 0
    ? `# ${name}\n\n${playbook.about}\n\n${playbook.body}\n`
    : `Withheld: ${staleOf(changed)}`;
}

async function memoryOf(place: MemoryPlace, id: string): Promise<string | undefined> {
  const memory = /^\d{1,15}$/.test(id) ? (await place.store()).get(Number(id), place.seen) : undefined;
  if (!memory) return undefined;
  const [checked] = await place.check([memory]);
  return detailsOf(checked!);
}

const staleOf = (changed: readonly string[]): string =>
  `${changed.join(", ")} ${changed.length === 1 ? "has" : "have"} changed since.`;

const detailsOf = ({ memory, changed }: CheckedMemory): string =>
  [changed.length === 0 ? memory.text : `Withheld: ${staleOf(changed)}`, "", ...originOf(memory)].join("\n");

export function originOf({ id, origin, at, session, entry, files }: Memory): readonly string[] {
  return [
    `id: ${id}, ${origin} ${dateOf(at)}`,
    `from: session ${session}, entry ${entry}`,
    ...files.map(({ path, digest }) => `rests on: ${path} (SHA-256 ${digest.slice(0, 12)}…)`),
  ];
}
