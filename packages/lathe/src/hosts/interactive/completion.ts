// What the composer completes: commands and their arguments after a slash at the start, files after an @, addresses
// after their scheme.

import { type Completion, type CompletionSource, fuzzyFilter } from "@lathe/tui";
import type { Controller } from "./controller.ts";
import { ProjectFiles } from "./named-files.ts";

const MOST_SHOWN = 50;

export class ComposerCompletion implements CompletionSource {
  readonly #controller: () => Controller | undefined;
  readonly #files: ProjectFiles;

  constructor(controller: () => Controller | undefined, now: () => number) {
    this.#controller = controller;
    this.#files = new ProjectFiles(now);
  }

  async complete(text: string, cursor: number, signal: AbortSignal): Promise<Completion | undefined> {
    const controller = this.#controller();
    if (!controller) return undefined;
    const before = text.slice(0, cursor);
    if (/^\/[^\n]*$/.test(before)) return this.#command(before, controller);
    const [named] = /(?<=^|\s)@(?:"[^"\n]*|[^\s"]*)$/.exec(before) ?? [];
    if (named !== undefined) return this.#file(named, controller, cursor, signal);
    const [address] = /(?<=^|\s)[a-z][a-z0-9+.-]*:\/\/\S*$/i.exec(before) ?? [];
    return address === undefined ? undefined : completeAddress(address, controller, cursor, signal);
  }

  async #command(line: string, { commands, conversation }: Controller): Promise<Completion | undefined> {
    await commands.ready;
    const space = line.search(/\s/);
    if (space < 0) {
      const typed = line.slice(1);
      const all = commands.namedCommands();
      // Aliases only appear once something was typed; the full list has each command once.
      const begun = all.filter(
        ({ name, command }) => name.startsWith(typed) && (typed !== "" || name === command.name),
      );
      const more =
        typed === "" ? [] : fuzzyFilter(typed, all, ({ name }) => name).filter((one) => !begun.includes(one));
      const items = [...begun, ...more].map(({ name, command: { arguments: taken = "", description } }) => ({
        value: `/${name}${taken === "" ? "" : " "}`,
        label: `/${name}`,
        detail: description,
        submits: !taken.startsWith("<"),
      }));
      return { from: 0, to: line.length, items };
    }
    const typed = line.slice(space).trimStart();
    const from = line.length - typed.length;
    const values = await commands.get(line.slice(1, space))?.complete?.(conversation, typed);
    const items = (values ?? []).slice(0, MOST_SHOWN).map((value) => ({ value, label: value, submits: true }));
    return { from, to: line.length, items };
  }

  async #file(
    named: string,
    { conversation }: Controller,
    cursor: number,
    signal: AbortSignal,
  ): Promise<Completion | undefined> {
    const wanted = named.slice(1).replace(/^"/, "");
    const { paths, remark } = await this.#files.find(wanted, conversation);
    if (signal.aborted) return undefined;
    const items = paths.slice(0, MOST_SHOWN).map((path) => ({ value: insertionFor(path), label: path }));
    const said = remark ?? (items.length === 0 && wanted !== "" ? `No file matches ${wanted}` : undefined);
    return { from: cursor - named.length, to: cursor, items, ...(said === undefined ? {} : { remark: said }) };
  }
}

/** Completes addresses of a scheme that can list them. */
async function completeAddress(
  typed: string,
  { conversation: { session } }: Controller,
  cursor: number,
  signal: AbortSignal,
): Promise<Completion | undefined> {
  const known = session.schemes.handles(typed) ? await session.schemes.list(typed, signal) : undefined;
  const begun = known?.filter(({ url }) => url.startsWith(typed)).slice(0, MOST_SHOWN) ?? [];
  if (begun.length === 0 || signal.aborted) return undefined;
  const items = begun.map(({ url, about }) => ({ value: `${url} `, label: url, ...(about ? { detail: about } : {}) }));
  return { from: cursor - typed.length, to: cursor, items };
}

/** After a folder the user goes on typing; a file name is complete. */
function insertionFor(path: string): string {
  const isFolder = path.endsWith("/");
  if (!/\s/.test(path)) return `@${path}${isFolder ? "" : " "}`;
  return isFolder ? `@"${path}` : `@"${path}" `;
}
