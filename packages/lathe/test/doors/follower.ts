// A door client for tests: it collects frames and waits for expected ones.

import type { Door, DoorClient, DoorFrame, Scope } from "../../src/doors/door/door.ts";
import type { WireEvent } from "../../src/hosts/wire/events.ts";

export const clientNamed = (name: string, ...scopes: readonly Scope[]): DoorClient => ({
  name,
  kind: "program",
  scopes: new Set(scopes.length === 0 ? ["read", "prompt", "approve", "admin"] : scopes),
});

export type FrameOf<K extends DoorFrame["kind"]> = Extract<DoorFrame, { kind: K }>;

export class Follower {
  readonly frames: DoorFrame[] = [];
  readonly client: DoorClient;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  readonly #stream: AsyncIterator<DoorFrame>;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(door: Door, client: DoorClient, after?: number) {
    this.client = client;
    const stream = door.follow(client, after);
    this.#stream = stream[Symbol.asyncIterator]();
    this.ended = this.#read();
  }

  async #read(): Promise<void> {
    for (let next = await this.#stream.next(); !next.done; next = await this.#stream.next()) {
      this.frames.push(next.value);
      for (const look of this.#waiting) look();
    }
    this.#isOver = true;
    for (const look of this.#waiting) look();
  }

  /** The first matching frame of a kind; frames that have already arrived count. */
  wait<K extends DoorFrame["kind"]>(kind: K, fits: (frame: FrameOf<K>) => boolean = () => true): Promise<FrameOf<K>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.frames.find((frame) => frame.kind === kind && fits(frame as FrameOf<K>));
        if (!found && !this.#isOver) return;
        this.#waiting.delete(look);
        if (found) resolve(found as FrameOf<K>);
        else reject(new Error(`the stream ended before a frame ${kind}: ${JSON.stringify(this.frames)}`));
      };
      this.#waiting.add(look);
      look();
    });
  }
  event(type: WireEvent["type"]): Promise<FrameOf<"event">> {
    return this.wait("event", ({ event }) => event.type === type);
  }

  get events(): readonly WireEvent[] {
    return this.frames.flatMap((frame) => (frame.kind === "event" ? [frame.event] : []));
  }
  get last(): number | undefined {
    return this.frames.at(-1)?.seq;
  }

  async leave(): Promise<void> {
    await this.#stream.return?.();
    await this.ended;
  }
}

/** The model's text, from its deltas. */
export const saidIn = (events: readonly WireEvent[]): string =>
  events
    .flatMap((event) => (event.type === "message_update" ? [event.assistantMessageEvent] : []))
    .map((said) => (said.type === "text_delta" ? said.delta : ""))
    .join("");
