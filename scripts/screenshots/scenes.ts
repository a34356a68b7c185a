// What the pictures show: each scene brings the command to one screen, waiting for what a person would see.

import { gate, turn } from "@lathe/testkit";
import { KEY, type TerminalRun } from "../../packages/lathe/test/terminal/emulator.ts";
import { MODEL, type Stage } from "./stage.ts";

export interface Scene {
  readonly name: string;
  /** What a reader who does not see the picture is told. */
  readonly label: string;
  readonly look?: "dark" | "light";
  play(stage: Stage): Promise<TerminalRun>;
}

export const scenes: readonly Scene[] = [
  {
    name: "start",
    label: "Lathe without a key: what can be chosen",
    play: async (stage) => {
      const run = stage.start([], { ANTHROPIC_API_KEY: "" });
      await run.see(/\/help/);
      return run;
    },
  },
];
