// The side of the process in the pane: it takes its arguments and environment from its starter, and tells it what becomes of it.

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
      // From then on it may be silent for as long as it likes.
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
      throw new CliError(EXIT.failed, "The process that started this pane has gone.", { cause: error });
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

  /** What was said on stderr comes before the last words. */
  async ended({ code, said }: PaneEnd): Promise<void> {
    this.#tell({
      type: "ended",
      code,
      said: said + this.#lastWords,
      ...(this.#patch === undefined ? {} : { patch: this.#patch }),
    });
    // A starter that has gone, or is stopped, reads no more.
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
