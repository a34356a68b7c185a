// A one-line text input for searches, names and secrets. Text wider than its room scrolls sideways with the cursor.

import type { CursorPlace, Focusable, RenderContext } from "../component.ts";
import { type Cluster, clustersOf } from "../document/clusters.ts";
import { EditCommands } from "../document/commands.ts";
import { Document } from "../document/document.ts";
import { START } from "../document/place.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Key } from "../keys/key.ts";
import type { Row, Span } from "../rows/row.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { rowOf } from "../rows/wrap.ts";

export interface LinePromptOptions {
  readonly bindings: Bindings;
  readonly label?: readonly Span[];
  readonly placeholder?: string;
  readonly text?: string;
  /** Shows a dot for each character, for secrets. */
  readonly isSecret?: boolean;
  onChange?(text: string): void;
  /** Without it, Enter goes to other components, as Escape does without `onCancel`. */
  onSubmit?(text: string): void;
  onCancel?(): void;
}

const LINE_ENDS = /[\r\n]+/g;
const SECRET = "•";

export class LinePrompt implements Focusable {
  readonly #options: LinePromptOptions;
  readonly #text = new Document();
  readonly #commands = new EditCommands(this.#text);
  #first = 0;
  #column = 0;

  constructor(options: LinePromptOptions) {
    this.#options = options;
    if (options.text !== undefined) this.text = options.text;
  }

  get text(): string {
    return this.#text.text;
  }

  /** Moves the cursor to the end. */
  set text(text: string) {
    this.#text.moveTo(START);
    this.#text.replace(START, this.#text.end, "");
    this.#commands.insert(text.replace(LINE_ENDS, " "));
  }

  get cursor(): CursorPlace {
    return { row: 0, column: this.#column };
  }

  handle(key: Key): boolean {
    if (key.kind === "focus") return false;
    const { version } = this.#text;
    const isHandled = this.#press(key);
    if (this.#text.version !== version) this.#options.onChange?.(this.text);
    return isHandled;
  }

  render({ columns }: RenderContext): readonly Row[] {
    const label = this.#options.label ?? [];
    const indent = label.reduce((sum, { text }) => sum + widthOf(text), 0);
    const room = Math.max(2, columns - indent - 1);
    const clusters = this.#clusters(room);
    const before = clusters.filter(({ offset }) => offset < this.#text.cursor.offset).length;
    this.#first = Math.min(this.#first, before);
    while (width(clusters.slice(this.#first, before)) > room) this.#first++;
    this.#column = indent + width(clusters.slice(this.#first, before));
    const isEmpty = clusters.length === 0;
    const placeholder = { text: shorten(this.#options.placeholder ?? "", room), style: { color: "dim" } };
    return [rowOf(...label, isEmpty ? placeholder : { text: fitText(clusters.slice(this.#first), room) })];
  }

  #press(key: Exclude<Key, { kind: "focus" }>): boolean {
    if (key.kind === "paste") {
      this.#commands.insert(key.text.trim().replace(LINE_ENDS, " "));
      return true;
    }
    const { bindings, onSubmit, onCancel } = this.#options;
    if (bindings.match(key, "select") === "tui.select.cancel" && onCancel !== undefined) {
      onCancel();
      return true;
    }
    const action = bindings.match(key, "editor");
    if (action === "tui.input.submit") {
      onSubmit?.(this.text);
      return onSubmit !== undefined;
    }
    if (action !== undefined) return this.#commands.run(action);
    if (key.text === undefined) return false;
    this.#commands.type(key.text);
    return true;
  }

  #clusters(room: number): readonly Cluster[] {
    const clusters = clustersOf(this.#text.line(0), this.#commands.marks, room);
    return this.#options.isSecret ? clusters.map((cluster) => ({ ...cluster, shown: SECRET, width: 1 })) : clusters;
  }
}

const width = (clusters: readonly Cluster[]): number => clusters.reduce((sum, cluster) => sum + cluster.width, 0);

function fitText(clusters: readonly Cluster[], room: number): string {
  let used = 0;
  let text = "";
  for (const { shown, width: own } of clusters) {
    used += own;
    if (used > room) break;
    text += shown;
  }
  return text;
}
