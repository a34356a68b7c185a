// What the controller needs of the view, which is a screen or plain lines. The view also asks the user.

import type { UserCommandResult } from "@lathe/agent";
import type { CommandView } from "../../conversation/commands/command-view.ts";
import type { OpenSession, Person } from "../../conversation/session-contract.ts";
import type { BangCommand } from "../../conversation/user-shell.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";
import type { HoldsFrom } from "./held-keys.ts";

export type LineStyle = "dim" | "bold" | "red" | "green" | "yellow";

/** Shows a command of the person's own. */
export interface UserCommandView {
  output(chunk: string): void;
  /** Without a result: it could not be run, and why is said elsewhere. */
  end(result?: UserCommandResult): void;
}

export interface HostView
  extends CommandView,
    Required<Omit<Person, "decideGate" | "extensionUi" | "showTerminal" | "terminalSize">>,
    Pick<Person, "showTerminal" | "terminalSize"> {
  /** A line of the product's own, below what was said so far. */
  line(text: string, style?: LineStyle): void;
  /** Said in passing: nothing that has to stay. */
  hint(text: string): void;
  /** Yes or no, or words of the person's own; undefined when the question was given up. */
  confirm(question: string): Promise<boolean | string | undefined>;
  /** The same for a question that the user does not wait for: what is being typed is no answer to it. */
  offer(question: string, signal: AbortSignal): Promise<boolean | string | undefined>;
  /** Work that asks for secrets: what is typed between two of its questions waits for the next one. */
  dialogue<T>(from: HoldsFrom, work: () => Promise<T>): Promise<T>;
  /** A command of the person's own has begun. */
  userCommand(bang: BangCommand): UserCommandView;
  /** Shows what happens in a session, until it is closed. */
  watch(open: OpenSession): void;
  leave(code: ExitCode): void;
}
