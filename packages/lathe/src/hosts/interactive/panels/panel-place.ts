// What a panel needs of the screen that it opens on.

import type { Bindings, RenderContext, Row } from "@lathe/tui";
import type { Panel, PanelStack } from "./panel-stack.ts";

export interface PanelPlace {
  readonly bindings: Bindings;
  readonly panels: PanelStack;
  context(): RenderContext;
  /** The screen has to be drawn again. */
  onChange(): void;
  /** Says something in passing. */
  hint(text: string): void;
  /** The question was settled elsewhere, by whom if that is known: what was typed in it goes to the composer. */
  settledElsewhere(panel: Panel, by: string | undefined, typed: string): void;
  /** Shows rows that may be more than the screen has. */
  view(title: string, body: (columns: number) => Iterable<Row>): void;
}
