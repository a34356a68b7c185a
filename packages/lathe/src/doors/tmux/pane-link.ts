// The pane's side of the start link: takes arguments and environment from the process that started it, and reports its
// progress and end.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { linesOf } from "../../hosts/wire/lines.ts";
import type { PaneStarter } from "../../platform/machine/machine.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { type FromPane, type PaneEnd, type PaneStart, readStart } from "./start-link.ts";

const ANSWERS_WITHIN_MS = 30_000;
const READS_WITHIN_MS = 5_000;

export class PaneLink implements PaneStarter {
  readonly start: PaneStart;
  readonly gone: AbortSignal;
  readonly #connection: Socket;
  #lastWords = "";
  #patch: string | undefined;

  private constructor(start: PaneStart, connection: Socket, gone: AbortSignal) {
    this.start = start;
    this.#connection = connection;
    this.gone = gone;
  }

  static async open(socket: string): Promise<PaneLink> {
    const connection = connect(socket);
    try {
      const late = setTimeout(() => connection.destroy(new Error("it does not answer")), ANSWERS_WITHIN_MS);
      const lines = linesOf(connection);
      // After the first line, the starter may be silent for any time.
      const first = await once(connection, "connect")
        .then(() => lines.next())
        .finally(() => clearTimeout(late));
      const start = !first.done && "text" in first.value ? readStart(first.value.text) : undefined;
      if (!start) throw new Error("it said nothing");
      const gone = new AbortController();
      void lines.next().then(() => {
        if (start.endsWithStarter) gone.abort();
      });
      return new PaneLink(start, connection, gone.signal);
    } catch (error) {
      connection.destroy();
      throw new CliError(EXIT.failed, "The process that started this pane has ended.", { cause: error });
    }
  }

  get member(): PaneStarter["member"] {
    return this.start.member;
  }

  opened(sessionId: string): void {
    this.#tell({ type: "opened", sessionId });
  }

  lastWords(line: string): void {
    this.#lastWords += `${line}\n`;
  }

  keptPatch(path: string): void {
    this.#patch = path;
  }

  /** What was printed on stderr comes before the last words. */
  async ended({ code, said }: PaneEnd): Promise<void> {
    this.#tell({
      type: "ended",
      code,
      said: said + this.#lastWords,
      ...(this.#patch === undefined ? {} : { patch: this.#patch }),
    });
    // A starter that is gone or suspended no longer reads.
    if (this.#connection.closed) return;
    const signal = AbortSignal.timeout(READS_WITHIN_MS);
    const closed = once(this.#connection, "close", { signal }).catch(() => undefined);
    this.#connection.end();
    await closed;
  }

  #tell(told: FromPane): void {
    if (!this.#connection.destroyed) this.#connection.write(`${JSON.stringify(told)}\n`);
  }
}
