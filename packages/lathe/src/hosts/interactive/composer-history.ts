// Earlier prompts for the composer: the arrow keys step through them, and a key opens a search. Stepping starts with
// those of this directory; the search finds all.

import type { History } from "@lathe/tui";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Choice } from "../../conversation/commands/command-view.ts";
import { PromptHistory } from "../../sessions/history/prompt-history.ts";
import { timeAgo } from "../../sessions/list.ts";

const WALKED = 500;
const LISTED = 200;

/** How the user chooses a prompt. */
export interface HistoryView {
  hint(text: string): void;
  choose(choice: Choice<string>): Promise<string | undefined>;
}

export class ComposerHistory implements History {
  readonly #store: PromptHistory;
  readonly #view: HistoryView;
  readonly #now: () => number;
  /** Newest first. */
  #prompts: string[] = [];
  #at = -1;

  constructor({ paths, machine, redactor, cwd }: Workspace, view: HistoryView) {
    this.#view = view;
    this.#now = machine.deps.now;
    this.#store = new PromptHistory({
      file: paths.history,
      now: machine.deps.now,
      redact: (text) => redactor.text(text),
    });
    void this.#store.recent(WALKED, cwd).then((earlier) => {
      this.#prompts.push(...earlier.map(({ prompt }) => prompt).filter((prompt) => !this.#prompts.includes(prompt)));
    });
  }

  add(prompt: string, cwd: string): void {
    const text = prompt.trim();
    this.keep(text);
    if (text !== "") this.#store.add(text, cwd);
  }

  /** Keeps a prompt for this run only, because text that was cleared was never sent. */
  keep(prompt: string): void {
    const text = prompt.trim();
    this.#at = -1;
    if (text !== "") this.#prompts = [text, ...this.#prompts.filter((earlier) => earlier !== text)];
  }

  previous(prefix: string): string | undefined {
    const at = this.#prompts.findIndex((prompt, i) => i > this.#at && prompt.startsWith(prefix));
    if (at < 0) return undefined;
    this.#at = at;
    return this.#prompts[at];
  }

  next(): string | undefined {
    this.#at = Math.max(-1, this.#at - 1);
    return this.#prompts[this.#at];
  }

  search(words: string): readonly string[] {
    const wanted = words.toLowerCase().split(/\s+/);
    return this.#prompts.filter((prompt) => wanted.every((word) => prompt.toLowerCase().includes(word)));
  }

  /** Lets the user choose an earlier prompt; undefined if there is none or the user chose none. */
  async choose(): Promise<string | undefined> {
    const item = ({ prompt, at }: { prompt: string; at: number }) => ({
      value: prompt,
      label: prompt,
      detail: timeAgo(at, this.#now()),
    });
    const items = (await this.#store.recent(LISTED)).map(item);
    if (items.length === 0) {
      this.#view.hint(this.#store.problem ?? "There are no earlier prompts yet.");
      return undefined;
    }
    const search = async (words: string) => (await this.#store.search(words, LISTED)).map(item);
    return this.#view.choose({ title: "Earlier prompts", items, search });
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
