// The screen from its first paint on. Until settings are known it shows the composer alone: keys edit, and everything
// else (submitted text, printed lines, the terminal's replies) is held for the host that takes over.

import { type Bindings, Editor, type Key, type LiveView, type RenderContext } from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { composerRows } from "./composer-rows.ts";
import type { Front } from "./front.ts";
import type { LineStyle } from "./host-view.ts";
import { stackRows } from "./live-layout.ts";
import { Surface } from "./surface.ts";

export class StartScreen {
  readonly machine: Machine;
  readonly bindings: Bindings;
  readonly surface: Surface;
  readonly editor: Editor;
  readonly #first: ComposerAlone;
  #front: Front;
  #isOver = false;
  #resolveLeft: (code: ExitCode) => void = () => {};
  /** Resolves when the user leaves. */
  readonly left = new Promise<ExitCode>((resolve) => {
    this.#resolveLeft = resolve;
  });

  constructor(machine: Machine, bindings: Bindings, onChange: (text: () => string) => void) {
    this.machine = machine;
    this.bindings = bindings;
    this.surface = new Surface(machine, {
      render: (context, isEcho) => this.#front.render(context, isEcho),
      onKey: (key) => this.#handleKey(key),
      onReply: (reply) => this.#front.handleReply(reply),
    });
    this.editor = new Editor({
      bindings,
      placeholder: "Ask for a change, or / for commands",
      prompt: [{ text: `${this.surface.context().symbols.prompt} `, style: { color: "accent" } }],
      completion: { complete: (text, cursor, signal) => this.#front.completion.complete(text, cursor, signal) },
      history: {
        previous: (prefix) => this.#front.history.previous(prefix),
        next: () => this.#front.history.next(),
        search: (words) => this.#front.history.search(words),
      },
      onSubmit: (text) => this.#submit(text),
      onChange: () => {
        onChange(() => this.editor.value());
        this.surface.screen.requestFrame();
      },
    });
    this.#first = new ComposerAlone(this.editor, () => this.leave(EXIT.interrupted));
    this.#front = this.#first;
  }

  /** Resolves when another program returns the terminal; undefined while we have it. */
  get lent(): Promise<void> | undefined {
    return this.surface.lent;
  }

  line(text: string, style?: LineStyle): void {
    this.#front.line(text, style);
  }

  /** The host takes over and gets everything that was held. */
  show(front: Front): void {
    this.#front = front;
    this.#first.handOverTo(front);
    this.surface.screen.requestFrame();
  }

  leave(code: ExitCode): void {
    this.#isOver = true;
    this.#resolveLeft(code);
  }

  #submit(text: string): void {
    if (text.trim() === "") return;
    const marks = this.editor.marks();
    this.editor.clear();
    this.#front.submit(text, marks);
  }

  #handleKey(key: Key): void {
    if (this.#isOver) return;
    this.#front.handleKey(key);
    if (key.kind === "key" && key.text !== undefined) this.surface.screen.echo();
    else this.surface.screen.paint();
  }
}

/** Ctrl+C quits, because there is nothing to stop yet. */
export const isLeavingKey = (key: Key): boolean => key.kind === "key" && key.ctrl && key.name === "c";

/** The front until there is a host. */
class ComposerAlone implements Front {
  readonly completion: Front["completion"] = { complete: async () => undefined };
  readonly history: Front["history"] = { previous: () => undefined, next: () => undefined, search: () => [] };
  readonly #editor: Editor;
  readonly #leave: () => void;
  readonly #held: ((front: Front) => void)[] = [];

  constructor(editor: Editor, leave: () => void) {
    this.#editor = editor;
    this.#leave = leave;
  }

  handOverTo(front: Front): void {
    for (const act of this.#held.splice(0)) act(front);
  }

  render(context: RenderContext): LiveView {
    return stackRows([], composerRows(this.#editor, context, "border"), [], context);
  }

  handleKey(key: Key): void {
    if (isLeavingKey(key)) this.#leave();
    else this.#editor.handle(key);
  }

  handleReply: Front["handleReply"] = (reply) => this.#hold((front) => front.handleReply(reply));
  submit: Front["submit"] = (text, marks) => this.#hold((front) => front.submit(text, marks));
  line: Front["line"] = (text, style) => this.#hold((front) => front.line(text, style));

  #hold(act: (front: Front) => void): void {
    this.#held.push(act);
  }
}
