// The other side of `ExtensionUi`: what a host brings so that extensions can show something. Not for authors.

import type { ExtensionUi } from "./ui.ts";

/** How a host shows what extensions want to show. Dialogs settle when their signal aborts. */
export interface ExtensionScreen extends Omit<ExtensionUi, "setTheme"> {
  setTheme?(name: string): boolean;
  /** Ends the host when it has nothing more to do. */
  shutdown(): void;
}
