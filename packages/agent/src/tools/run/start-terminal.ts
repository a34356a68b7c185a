// Starts a command in its own terminal, with the emulator that shows it.

import type { ToolContext } from "../../contract/tool.ts";
import { EnvError, type TerminalCommand, type TerminalOptions } from "../../world/env/types.ts";
import { type RunningTerminal, TerminalScreen } from "./terminal-screen.ts";

/** Size of a terminal that no user watches. */
const SIZE = { columns: 120, rows: 32 };

export async function startedTerminal(
  command: string,
  { env, onOutput, services }: Pick<ToolContext, "env" | "onOutput" | "services">,
  options: Omit<TerminalOptions, "columns" | "rows" | "onOutput">,
): Promise<RunningTerminal> {
  if (!env.startTerminal)
    throw new EnvError("unavailable", "There are no terminals here. Run the command without pty.");
  const size = services.terminalSize?.() ?? SIZE;
  const screen = await TerminalScreen.open(size);
  const started = await env.startTerminal(command, {
    ...options,
    ...size,
    onOutput: (chunk) => {
      screen.print(chunk);
      onOutput(chunk, "stdout");
    },
  });
  const terminal: TerminalCommand = {
    ...started,
    get running() {
      return started.running;
    },
    resize: (size) => {
      screen.resize(size);
      started.resize(size);
    },
    screen: async () => {
      await screen.whenSettled();
      return { text: screen.text(), isFullScreen: screen.isFullScreen };
    },
  };
  screen.repliesTo((text) => {
    if (started.running) void started.write(text);
  });
  return { command: terminal, screen };
}
