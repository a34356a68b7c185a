// The rows below the scrollback: current activity, queued messages, the composer or a panel in its place, and the lines
// below.

import { type Bindings, type Editor, EMPTY_ROW, type LiveView, type RenderContext, type Row } from "@lathe/tui";
import { composerRows, queueRows } from "./composer-rows.ts";
import type { Queue } from "./controller.ts";
import { framedPanel, hasRoomForRules, stackRows } from "./live-layout.ts";
import type { PanelStack } from "./panels/panel-stack.ts";
import type { Scrollback } from "./scrollback.ts";

type Rows = (context: RenderContext) => readonly Row[];

export interface LiveParts {
  readonly bindings: Bindings;
  readonly editor: Editor;
  readonly scrollback: Scrollback;
  readonly panels: PanelStack;
  /** The queued messages; undefined until the conversation is open. */
  queue(): Queue | undefined;
  /** Lines of extensions above the composer. */
  readonly widgets: Rows;
  readonly hint: Rows;
  readonly status: Rows;
}

export class LiveRegion {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  render(context: RenderContext, isEcho: boolean): LiveView {
    const { panels, scrollback, editor, hint, status } = this.#parts;
    const { shown, focused } = panels;
    const above = this.#above(context, isEcho);
    const below = [...hint(context), ...status(context)];
    if (shown) {
      const isBelowText = above.length > 0 || scrollback.endsInText;
      if (isBelowText && hasRoomForRules(context)) above.push(EMPTY_ROW);
      if (focused) {
        const panel = framedPanel(shown, context, panels.hint, { color: "dim", others: below.length });
        return stackRows(above, panel, below, context);
      }
    }
    const composer = composerRows(editor, context, "border");
    if (shown) {
      const others = below.length + composer.rows.length;
      above.push(...framedPanel(shown, context, panels.hint, { color: "warning", others }).rows);
    }
    return stackRows(above, composer, below, context);
  }

  #above(context: RenderContext, isEcho: boolean): Row[] {
    const { scrollback, queue, widgets, bindings } = this.#parts;
    const waiting = queue();
    const key = (action: string): string => bindings.chords(action)[0] ?? "";
    const keys = { edit: key("app.message.dequeue"), now: key("app.message.sendNow") };
    return [
      ...scrollback.renderUnfinished(context, isEcho),
      ...(waiting ? queueRows(waiting, context, keys) : []),
      ...widgets(context),
    ];
  }
}
