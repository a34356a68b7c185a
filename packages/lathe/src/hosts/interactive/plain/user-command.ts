// A command that the user runs, as lines: the command first, then the end of its output and how it ended.

import { plainOutput } from "@lathe/agent/tools";
import type { BangCommand } from "../../../conversation/user-shell.ts";
import type { LineStyle, UserCommandView } from "../host-view.ts";

const SHOWN_LINES = 20;
const LONGEST_LINE = 4_000;

export function userCommandLines(
  { command, isSent }: BangCommand,
  line: (text: string, style?: LineStyle) => void,
): UserCommandView {
  line(`$ ${command}`, "bold");
  return {
    output: () => {},
    end: (result) => {
      if (!result) return;
      const { output, exitCode, cancelled, timedOut } = result;
      const lines = plainOutput(output)
        .trimEnd()
        .split("\n")
        .map((text) => text.slice(0, LONGEST_LINE));
      const hidden = lines.length - SHOWN_LINES;
      if (hidden > 0) line(`… ${hidden} earlier lines`, "dim");
      if (output.trim() !== "") line(lines.slice(-SHOWN_LINES).join("\n"));
      const ended = cancelled
        ? "Cancelled."
        : timedOut
          ? "Timed out."
          : exitCode === null
            ? "Ended by a signal."
            : `exit ${exitCode}`;
      const isBad = cancelled || timedOut || exitCode !== 0;
      line(`${ended}${isSent ? "" : " (the model does not see it)"}`, isBad ? "yellow" : "dim");
    },
  };
}
