// What is on the screen now: first the composer alone while the rest loads, then the whole host.

import type { CompletionSource, History, Key, LiveView, Mark, RenderContext, TerminalReply } from "@lathe/tui";
import type { LineStyle } from "./host-view.ts";

export interface Front {
  /** The source of the composer's completions. */
  readonly completion: CompletionSource;
  /** Earlier prompts, for the arrow keys. */
  readonly history: History;
  /** Renders the rows below the scrollback. */
  render(context: RenderContext, isEcho: boolean): LiveView;
  handleKey(key: Key): void;
  /** Called when the terminal answers a query about itself. */
  handleReply(reply: TerminalReply): void;
  /** Called for Enter in the composer, which is empty again. The marks stand for attachments such as pictures. */
  submit(text: string, marks: readonly Mark[]): void;
  /** Adds one of Lathe's own lines to the scrollback. */
  line(text: string, style?: LineStyle): void;
}
