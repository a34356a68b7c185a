// Text into a pane that Lathe has not started itself: pasted in brackets, so that line breaks in it are not keys.

import { usageError } from "../../platform/usage/exit.ts";
import type { Tmux } from "./tmux.ts";

export const isPaneId = (text: string): boolean => /^%\d{1,9}$/.test(text);

/** `name`: of the buffer, which exists for a moment; `isSent`: Enter follows. Rejects when the pane is not there. */
export async function pasteText(
  tmux: Tmux,
  paneId: string,
  text: string,
  { name, isSent }: { readonly name: string; readonly isSent: boolean },
): Promise<void> {
  if (!isPaneId(paneId)) throw usageError(`"${paneId.slice(0, 80)}" is no pane of tmux, such as %3.`);
  // An end of the bracket inside would turn the rest into keys.
  const safe = text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
  await tmux.run(["load-buffer", "-b", name, "-"], safe);
  await tmux.run(["paste-buffer", "-p", "-r", "-d", "-b", name, "-t", paneId]);
  if (isSent) await tmux.run(["send-keys", "-t", paneId, "Enter"]);
}
