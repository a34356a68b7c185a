// Shows the names of panes on the border above them, in our windows with several panes.

import { isProfileOff } from "./profile.ts";
import type { Tmux } from "./tmux.ts";

const NAME = "@lathe-name";
const OPTIONS: Readonly<Record<string, string>> = {
  "pane-border-status": "top",
  "pane-border-format": ` #{${NAME}} `,
};

/** Sets the name and turns the borders on; an older tmux without such borders ignores this. */
export async function namePane(tmux: Tmux, paneId: string, name: string): Promise<void> {
  if (isProfileOff(tmux.env)) return;
  await tmux.askAll([
    ["set-option", "-p", "-t", paneId, NAME, name],
    ...Object.entries(OPTIONS).map(([option, value]) => ["set-option", "-w", "-t", paneId, option, value]),
  ]);
}

/** Restores the window when this is its last pane. */
export async function removeNames(tmux: Tmux, paneId: string): Promise<void> {
  if (isProfileOff(tmux.env)) return;
  await tmux.askAll([
    ["set-option", "-p", "-u", "-t", paneId, NAME],
    ...Object.keys(OPTIONS).map((option) => ["set-option", "-w", "-u", "-t", paneId, option]),
  ]);
}
