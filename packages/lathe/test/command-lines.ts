// A place where slash commands print, without a screen: tests read the lines.

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
