// Names of panes on the border above them, in a window of ours with more than one.

import { isProfileOff } from "./profile.ts";
import type { Tmux } from "./tmux.ts";

const NAME = "@lathe-name";
const OPTIONS: Readonly<Record<string, string>> = {
  "pane-border-status": "top",
  "pane-border-format": ` #{${NAME}} `,
};

/** The window shows names from now on; a tmux that has no borders for them goes without. */
export async function namePane(tmux: Tmux, paneId: string, name: string): Promise<void> {
  if (isProfileOff(tmux.env)) return;
  await tmux.askAll([
    ["set-option", "-p", "-t", paneId, NAME, name],
    ...Object.entries(OPTIONS).map(([option, value]) => ["set-option", "-w", "-t", paneId, option, value]),
  ]);
}

/** The window of this pane, which is the last one, looks as before. */
export async function withoutNames(tmux: Tmux, paneId: string): Promise<void> {
  if (isProfileOff(tmux.env)) return;
  await tmux.askAll([
    ["set-option", "-p", "-u", "-t", paneId, NAME],
    ...Object.keys(OPTIONS).map((option) => ["set-option", "-w", "-u", "-t", paneId, option]),
  ]);
}
