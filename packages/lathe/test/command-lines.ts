// Collects what slash commands print, without a screen, for tests to read.

import type { CommandView } from "../src/conversation/commands/command-view.ts";

export function viewInto(lines: string[]): CommandView {
  return {
    line: (text) => void lines.push(text),
    ask: async () => undefined,
    showPast: async () => {},
    prefill: () => {},
    leave: () => {},
  };
}
