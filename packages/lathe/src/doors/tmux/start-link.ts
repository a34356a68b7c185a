// How a process started in a pane gets its arguments and environment and reports its progress: through a socket of its
// starter. The tmux server would pass on its own environment, and every user can read a command line.

import { createServer, type Socket } from "node:net";
import { isJsonObject, parseJson } from "@lathe/llm";
import { Checker, exactly, integer, object, oneOf, optional, type Static, text } from "@lathe/llm/schema";
import { linesOf } from "../../hosts/wire/lines.ts";
import type { TeamMember } from "../../platform/machine/machine.ts";
import { CliError, EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { removeSocket, socketPlace } from "../local/door-records.ts";

/** Gives the process in the pane the path of the socket. */
export const START_VARIABLE = "LATHE_TMUX_START";

/** What the process should do. */
export interface PaneStart {
  /** Appended to the arguments on its command line. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the process ends when its starter is gone. */
  readonly endsWithStarter: boolean;
  /** Set if it is a worker in the starter's team. */
  readonly member?: TeamMember | undefined;
}

const opened = object({ type: exactly("opened"), sessionId: text() });
const ended = object({ type: exactly("ended"), code: integer(), said: text(), patch: optional(text()) });
const fromPane = oneOf(opened, ended);
const FROM_PANE = new Checker(fromPane);
export type FromPane = Static<typeof fromPane>;

export interface PaneEnd {
  readonly code: ExitCode;
  /** Its last output. */
  readonly said: string;
  /** File with the changes of its isolated copy. */
  readonly patch?: string;
}

/** The starter's side. */
export class StartLink {
  readonly socket: string;
  /** Resolves with the session's id once others can join it. Rejects if the process ends before. */
  readonly opened: Promise<string>;
  /** Undefined if it ended without a report, for example by SIGKILL. */
  readonly ended: Promise<PaneEnd | undefined>;
  readonly #folder: string;
  readonly #server;
  #connection: Socket | undefined;

  /** `folder` is that of the local doors. */
  constructor(folder: string, pid: number, start: PaneStart) {
    this.#folder = folder;
    this.socket = socketPlace(folder, pid);
    let onOpened = (_sessionId: string): void => {};
    let onFailed = (_error: Error): void => {};
    let onEnded = (_end: PaneEnd | undefined): void => {};
    this.opened = new Promise((resolve, reject) => {
      onOpened = resolve;
      onFailed = reject;
    });
    // Callers that do not wait for this need no unhandled rejection.
    this.opened.catch(() => {});
    this.ended = new Promise((resolve) => {
      onEnded = resolve;
    });
    this.#server = createServer((connection) => {
      this.#connection ??= connection;
      if (this.#connection !== connection) return void connection.destroy();
      this.#stopListening();
      connection.on("error", () => {});
      connection.write(`${JSON.stringify(start)}\n`);
      void this.#read(connection, onOpened).then((end) => {
        onEnded(end);
        onFailed(new CliError(EXIT.failed, earlyEndText(end)));
      });
    });
    this.#server.listen(this.socket);
  }

  /** Lets the process run on without us. */
  release(): void {
    this.#stopListening();
    this.#connection?.destroy();
  }

  async #read(connection: Socket, onOpened: (sessionId: string) => void): Promise<PaneEnd | undefined> {
    for await (const line of linesOf(connection)) {
      const value = "text" in line ? parseJson(line.text) : undefined;
      if (FROM_PANE.wrongIn(value) !== undefined) break;
      const told = value as FromPane;
      if (told.type === "opened") onOpened(told.sessionId);
      else {
        const { type: _, ...end } = told;
        return end as PaneEnd;
      }
    }
    return undefined;
  }

  #stopListening(): void {
    this.#server.close();
    removeSocket(this.#folder, this.socket);
  }
}

const earlyEndText = (end: PaneEnd | undefined): string =>
  end?.said.trim().replace(/^lathe: /, "") || "The process in the pane ended before its session was open.";

/** Parses the starter's line, on the pane's side. */
export function readStart(line: string): PaneStart | undefined {
  const value = parseJson(line);
  return isJsonObject(value) && Array.isArray(value["args"]) && isJsonObject(value["env"])
    ? (value as unknown as PaneStart)
    : undefined;
}
