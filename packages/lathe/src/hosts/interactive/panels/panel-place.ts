// What a panel needs of its screen.

import type { Bindings, RenderContext, Row } from "@lathe/tui";
import type { Panel, PanelStack } from "./panel-stack.ts";

export interface PanelPlace {
  readonly bindings: Bindings;
  readonly panels: PanelStack;
  context(): RenderContext;
  /** Called when the screen has to be drawn again. */
  onChange(): void;
  /** Shows a hint that disappears by itself. */
  hint(text: string): void;
  /**
   * Called when the question was answered elsewhere (`by` whom, if known). What was typed in it goes to the composer.
   */
  onAnsweredElsewhere(panel: Panel, by: string | undefined, typed: string): void;
  /** Shows rows that may not fit the screen. */
  view(title: string, body: (columns: number) => Iterable<Row>): void;
}
