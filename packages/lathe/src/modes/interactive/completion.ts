// What the composer completes: commands and their arguments after a slash at the beginning, files after an @.

import { relative } from "node:path";
import { type Completion, type CompletionSource, fuzzyFilter } from "@lathe/tui";
import type { Conversation } from "../../conversation/conversation.ts";
import type { Controller } from "./controller.ts";

const MOST_FILES = 20_000;
const MOST_SHOWN = 50;
/** A list of files is used so long before it is made anew. */
const FRESH_MS = 5_000;

export class ComposerCompletion implements CompletionSource {
  readonly #controller: Controller;
  readonly #now: () => number;
  #files: { readonly cwd: string; readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;

  constructor(controller: Controller, now: () => number) {
    this.#controller = controller;
    this.#now = now;
  }

  async complete(text: string, cursor: number, signal: AbortSignal): Promise<Completion | undefined> {
    const before = text.slice(0, cursor);
    if (/^\/[^\n]*$/.test(before)) return this.#command(before);
    const [named] = /(?<=^|\s)@(?:"[^"\n]*|[^\s"]*)$/.exec(before) ?? [];
    return named === undefined ? undefined : this.#file(named, cursor, signal);
  }

  async #command(line: string): Promise<Completion | undefined> {
    const { commands, conversation } = this.#controller;
    const space = line.search(/\s/);
    if (space < 0) {
      const typed = line.slice(1);
      const all = commands.named();
      // An alias is found by whoever knows it; the list of all commands has each once.
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

  async #file(named: string, cursor: number, signal: AbortSignal): Promise<Completion | undefined> {
    const paths = await this.#paths();
    if (signal.aborted) return undefined;
    const wanted = named.slice(1).replace(/^"/, "");
    const items = fuzzyFilter(wanted, paths, (path) => path)
      .slice(0, MOST_SHOWN)
      .map((path) => ({ value: `@${/\s/.test(path) ? `"${path}"` : path} `, label: path }));
    return { from: cursor - named.length, to: cursor, items };
  }

  #paths(): Promise<readonly string[]> {
    const { conversation } = this.#controller;
    const { cwd } = conversation.workspace;
    const now = this.#now();
    if (!this.#files || this.#files.cwd !== cwd || now - this.#files.at > FRESH_MS)
      this.#files = { cwd, at: now, paths: filesIn(conversation, cwd) };
    return this.#files.paths;
  }
}

/** As searches see them: without what git ignores. */
async function filesIn({ session }: Conversation, cwd: string): Promise<readonly string[]> {
  const { paths } = await session.env.glob("**/*", cwd, { maxResults: MOST_FILES });
  return paths.map((path) => relative(cwd, path) || path);
}
