// What the controller needs of the view, which is a screen or plain lines. The view also asks the user.

import type { UserCommandResult } from "@lathe/agent";
import type { CommandView } from "../../conversation/commands/command-view.ts";
import type { OpenSession, Person } from "../../conversation/session-contract.ts";
import type { BangCommand } from "../../conversation/user-shell.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";
import type { HoldsFrom } from "./held-keys.ts";

export type LineStyle = "dim" | "bold" | "red" | "green" | "yellow";

/** Shows a command that the user runs with `!`. */
export interface UserCommandView {
  output(chunk: string): void;
  /** Without a result, the command could not be run; the error is shown separately. */
  end(result?: UserCommandResult): void;
}

export interface HostView
  extends CommandView,
    Required<Omit<Person, "decideGate" | "extensionUi" | "showTerminal" | "terminalSize">>,
    Pick<Person, "showTerminal" | "terminalSize"> {
  /** Shows one of Lathe's own lines below what was shown so far. */
  line(text: string, style?: LineStyle): void;
  /** Shows something briefly that need not stay. */
  hint(text: string): void;
  /** Asks for yes or no; a string is what the user wants instead. Undefined: the user closed the question. */
  confirm(question: string): Promise<boolean | string | undefined>;
  /** The same for a question that the user does not expect: text being typed is not taken as its answer. */
  offer(question: string, signal: AbortSignal): Promise<boolean | string | undefined>;
  /** Runs work that asks for secrets: keys typed between two of its questions wait for the next one. */
  dialogue<T>(from: HoldsFrom, work: () => Promise<T>): Promise<T>;
  /** Called when a command of the user begins. */
  userCommand(bang: BangCommand): UserCommandView;
  /** Shows what happens in a session until it is closed. */
  watch(open: OpenSession): void;
  leave(code: ExitCode): void;
}
