// What is on the screen now: first the composer alone, while the rest is loaded, then the whole host.

import type { CompletionSource, History, Key, LiveView, Mark, RenderContext, TerminalReply } from "@lathe/tui";
import type { LineStyle } from "./host-view.ts";

export interface Front {
  /** What the composer completes from. */
  readonly completion: CompletionSource;
  /** Earlier prompts, for the arrow keys. */
  readonly history: History;
  /** The rows below the scrollback. */
  render(context: RenderContext, isEcho: boolean): LiveView;
  handleKey(key: Key): void;
  /** The terminal has said something of itself. */
  handleReply(reply: TerminalReply): void;
  /** Enter in the composer, which is empty again. The marks stand for what goes with the text, such as pictures. */
  submit(text: string, marks: readonly Mark[]): void;
  /** Adds a line of the product's own to the scrollback. */
  line(text: string, style?: LineStyle): void;
}
