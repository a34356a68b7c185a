// A followed session as plain lines: its history, its events, and who joins and leaves. It does not handle keys.

import { visibleLine } from "@lathe/agent/base";
import type { LinePrinter } from "../../hosts/interactive/plain/printer.ts";
import type { ClientRow, Door, DoorClient, DoorFrame, SessionSnapshot } from "../door/door.ts";
import { pastLines } from "./past-lines.ts";
import { WireLines } from "./wire-lines.ts";

/** Entries of history to show on joining. */
const PAST_ENTRIES = 12;

const LOST = "Lost the connection to the server. Reconnecting; the session keeps running.";

export interface SessionLinesParts {
  readonly door: Door;
  readonly client: DoorClient;
  readonly printer: LinePrinter;
  readonly now: () => number;
}

export class SessionLines {
  readonly #parts: SessionLinesParts;
  readonly #wire: WireLines;
  /** The last entry shown. */
  #shown: string | undefined;
  #others: readonly string[] = [];
  #isFirst = true;
  #isLost = false;

  constructor(parts: SessionLinesParts) {
    this.#parts = parts;
    this.#wire = new WireLines(parts.printer, parts.now);
  }

  /** Remembers this client's own text, which is on the screen already. */
  addOwn(text: string): void {
    this.#wire.addOwn(text);
  }

  connection(isConnected: boolean): void {
    if (isConnected !== this.#isLost) return;
    this.#isLost = !isConnected;
    const [text, style] = isConnected ? (["Connected again.", "dim"] as const) : ([LOST, "yellow"] as const);
    this.#parts.printer.line(text, style);
  }

  async show(frame: DoorFrame): Promise<void> {
    const { printer } = this.#parts;
    switch (frame.kind) {
      case "snapshot":
        await this.#snapshot(frame.snapshot);
        break;
      case "event":
        this.#wire.event(frame.event);
        break;
      case "clients":
        this.#clients(frame.clients);
        break;
      case "session":
        this.#shown = undefined;
        printer.line(`This process now shows another session: ${frame.sessionId.slice(0, 8)}.`, "dim");
        break;
      case "settled":
        if (frame.by === "deadline") printer.line("The question was not answered in time.", "dim");
        else if (frame.by !== this.#parts.client.name && frame.by !== "session")
          printer.line(`Answered by ${frame.by}.`, "dim");
        break;
      case "closed":
        printer.line(frame.problem ?? "The session was closed.", frame.problem === undefined ? "dim" : "red");
        break;
    }
  }

  /** The first snapshot shows the end of the history; a later one fills the gap since the last entry shown. */
  async #snapshot({ state, lastEntryId, clients, running }: SessionSnapshot): Promise<void> {
    const { printer } = this.#parts;
    printer.endLine();
    if (this.#isFirst) {
      const { model, cwd, title, sessionId } = state;
      const name = title ?? sessionId.slice(0, 8);
      printer.line(`${name} · ${model.provider}/${model.id} · ${visibleLine(cwd)} · ${state.permissionMode}`, "dim");
    }
    const missed = await this.#missedEntries(lastEntryId);
    for (const { entryId } of missed) this.#wire.markShown(entryId);
    for (const { text, style } of pastLines(missed)) printer.line(text, style);
    this.#isFirst = false;
    this.#shown = lastEntryId ?? undefined;
    this.#clients(clients);
    for (const event of running) this.#wire.event(event);
  }

  /** Entries up to `last`; newer ones arrive as events. */
  async #missedEntries(last: string | null): Promise<Parameters<typeof pastLines>[0]> {
    const { door, client } = this.#parts;
    const after = this.#isFirst ? undefined : this.#shown;
    const end = { before: null, limit: PAST_ENTRIES };
    const { entries } = await door
      .command(client, "get_entries", after === undefined ? end : { after })
      // A rewind dropped that entry: show the end of the current history instead.
      .catch(() => door.command(client, "get_entries", end));
    return entries.slice(0, entries.findIndex(({ entryId }) => entryId === last) + 1);
  }

  #clients(clients: readonly ClientRow[]): void {
    const others = clients.map(({ name }) => name).filter((name) => name !== this.#parts.client.name);
    const come = others.filter((name) => !this.#others.includes(name));
    const gone = this.#others.filter((name) => !others.includes(name));
    if (come.length > 0) this.#parts.printer.line(`Also here: ${come.join(", ")}.`, "dim");
    if (gone.length > 0) this.#parts.printer.line(`No longer here: ${gone.join(", ")}.`, "dim");
    this.#others = others;
  }
}
