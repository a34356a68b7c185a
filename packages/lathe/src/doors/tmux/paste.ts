// Sends text to a pane that Lathe did not start: as a bracketed paste, so that line breaks do not act as keys.

import { usageError } from "../../platform/usage/exit.ts";
import type { Tmux } from "./tmux.ts";

export const isPaneId = (text: string): boolean => /^%\d{1,9}$/.test(text);

/** `name` is the name of a temporary buffer; `isSent` presses Enter afterwards. Rejects if the pane does not exist. */
export async function pasteText(
  tmux: Tmux,
  paneId: string,
  text: string,
  { name, isSent }: { readonly name: string; readonly isSent: boolean },
): Promise<void> {
  if (!isPaneId(paneId)) throw usageError(`"${paneId.slice(0, 80)}" is not a tmux pane, such as %3.`);
  // An end-of-paste sequence inside the text would turn the rest into keys.
  const safe = text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
  await tmux.run(["load-buffer", "-b", name, "-"], safe);
  await tmux.run(["paste-buffer", "-p", "-r", "-d", "-b", name, "-t", paneId]);
  if (isSent) await tmux.run(["send-keys", "-t", paneId, "Enter"]);
}
