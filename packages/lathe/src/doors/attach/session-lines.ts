// A followed session as plain lines: what came before, what happens, who comes and goes. Knows no keys.

import { visibleLine } from "@lathe/agent/base";
import type { LinePrinter } from "../../hosts/interactive/plain/printer.ts";
import type { ClientRow, Door, DoorClient, DoorFrame, SessionSnapshot } from "../door/door.ts";
import { pastLines } from "./past-lines.ts";
import { WireLines } from "./wire-lines.ts";

/** Of what was said before the client came. */
const PAST_ENTRIES = 12;

const LOST = "The connection to the server is lost. Trying again; the session goes on where it is.";

export interface SessionLinesParts {
  readonly door: Door;
  readonly client: DoorClient;
  readonly printer: LinePrinter;
  readonly now: () => number;
}

export class SessionLines {
  readonly #parts: SessionLinesParts;
  readonly #wire: WireLines;
  /** Everything up to this entry was shown. */
  #shown: string | undefined;
  #others: readonly string[] = [];
  #isFirst = true;
  #isLost = false;

  constructor(parts: SessionLinesParts) {
    this.#parts = parts;
    this.#wire = new WireLines(parts.printer, parts.now);
  }

  /** This client's own words stand on the screen already. */
  sent(text: string): void {
    this.#wire.sent(text);
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
        printer.line(`Another session has begun here: ${frame.sessionId.slice(0, 8)}.`, "dim");
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

  /** The first one begins with the end of what was said; a later one closes the gap since the last. */
  async #snapshot({ state, lastEntryId, clients, running }: SessionSnapshot): Promise<void> {
    const { printer } = this.#parts;
    printer.fresh();
    if (this.#isFirst) {
      const { model, cwd, title, sessionId } = state;
      const name = title ?? sessionId.slice(0, 8);
      printer.line(`${name} · ${model.provider}/${model.id} · ${visibleLine(cwd)} · ${state.permissionMode}`, "dim");
    }
    const missed = await this.#missedEntries(lastEntryId);
    for (const { entryId } of missed) this.#wire.read(entryId);
    for (const { text, style } of pastLines(missed)) printer.line(text, style);
    this.#isFirst = false;
    this.#shown = lastEntryId ?? undefined;
    this.#clients(clients);
    for (const event of running) this.#wire.event(event);
  }

  /** Up to this one: what is added meanwhile comes as events. */
  async #missedEntries(last: string | null): Promise<Parameters<typeof pastLines>[0]> {
    const { door, client } = this.#parts;
    const after = this.#isFirst ? undefined : this.#shown;
    const end = { before: null, limit: PAST_ENTRIES };
    const { entries } = await door
      .command(client, "get_entries", after === undefined ? end : { after })
      // It was left behind by a rewind: the end of what there is now has to do.
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
