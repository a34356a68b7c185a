// The entries of a session from before a client joined, as plain lines.

import { visibleLine, visibleText } from "@lathe/agent/base";
import type { LineStyle } from "../../hosts/interactive/host-view.ts";
import type { CommandData } from "../../hosts/rpc/commands.ts";

type Entry = CommandData<"get_entries">["entries"][number];

export interface PastLine {
  readonly text: string;
  readonly style?: LineStyle;
}

export function pastLines(entries: readonly Entry[]): readonly PastLine[] {
  return entries.flatMap(linesOfEntry);
}

function linesOfEntry(entry: Entry): readonly PastLine[] {
  switch (entry.type) {
    case "user":
      return [{ text: visibleLine(`› ${[entry.text, ...entry.attached].join(" ")}`), style: "bold" }];
    case "assistant":
      return entry.parts.flatMap((part) => (part.kind === "text" ? [{ text: visibleText(part.text) }] : []));
    case "results":
      return entry.results.map(({ isError, toolName, card }) => {
        const outcome = card.outcome === undefined ? "" : `  ${card.outcome}`;
        return { text: visibleLine(`  ${isError ? "failed:" : "done:"} ${toolName} ${card.subject}${outcome}`) };
      });
    case "command":
      return [{ text: visibleLine(`$ ${entry.command}`), style: "dim" }];
    case "note":
      return [{ text: visibleLine(entry.title), style: "dim" }];
    case "hidden":
      return [];
  }
}
