// Delivers every event to every reader. Emitting never waits; if a reader falls far behind, adjacent deltas are merged
// for it, but it never loses a bracket. Events before the first input are kept, so that readers opened right after
// construction see session_start; later readers get a snapshot.

import { messageOf } from "@lathe/llm";
import type { EventData, EventEnvelope, EventKind, SessionEvent, SessionEvents } from "./types.ts";

/** Number of queued events above which a reader's deltas are merged. */
const HIGH_WATER = 1024;

export interface EventSource {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly now: () => number;
  /** Makes the snapshot for a late reader. */
  readonly snapshot: () => EventData["snapshot"];
}

type Listener = (event: SessionEvent) => void;

export class EventHub {
  readonly #source: EventSource;
  readonly #readers = new Set<Reader>();
  readonly #listeners = new Set<Listener>();
  readonly #failed = new Set<Listener>();
  #backlog: SessionEvent[] | undefined = [];
  #seq = 0;
  #ended = false;
  #delivering = false;
  readonly #waiting: SessionEvent[] = [];

  constructor(source: EventSource) {
    this.#source = source;
  }

  emit<K extends EventKind>(kind: K, data: EventData[K]): void {
    if (this.#ended) return;
    const event = this.#envelope(kind, ++this.#seq, data) as unknown as SessionEvent;
    if (this.#delivering) {
      // A listener that acts on an event causes more events; every listener gets those after this one.
      this.#waiting.push(event);
      return;
    }
    this.#delivering = true;
    try {
      this.#deliver(event);
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  #deliver(event: SessionEvent): void {
    if (this.#ended) return;
    if (event.kind === "user_input") this.#backlog = undefined;
    this.#backlog?.push(event);
    for (const listener of this.#listeners) this.#notify(listener, event);
    for (const reader of this.#readers) reader.push(event);
    if (event.kind === "session_end") this.#end();
  }

  /**
   * An error in a host's listener must not stop the run or the other listeners. It is reported only once, since it may
   * happen with every event.
   */
  #notify(listener: Listener, event: SessionEvent): void {
    try {
      const returned: unknown = listener(event);
      // An async function also fits the type. Its rejection would end the host's process.
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(listener, error));
    } catch (error) {
      this.#report(listener, error);
    }
  }

  #report(listener: Listener, error: unknown): void {
    if (this.#failed.has(listener)) return;
    this.#failed.add(listener);
    const message = `onEvent threw: ${messageOf(error)}. Further errors from it are not reported.`;
    const error_type = error instanceof Error ? error.name : "Error";
    this.emit("error", { message, kind: "bug", error_type, fatal: false, code: "listener_failed" });
  }

  #end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.end();
  }

  /** The listener is called synchronously with each event, before the readers; for internal bookkeeping. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts collecting now, even if iteration begins later. */
  read(): SessionEvents {
    const reader = new Reader(() => this.#readers.delete(reader));
    if (this.#backlog) for (const event of this.#backlog) reader.push(event);
    else reader.push(this.#envelope("snapshot", this.#seq, this.#source.snapshot()));
    if (this.#ended) reader.end();
    else this.#readers.add(reader);
    return reader;
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * Resolves when every reader that has kept reading since event `from` has received all events so far. We do not wait
   * for the other readers: they may themselves be waiting for what comes next. Undefined if there is no reader to wait
   * for.
   */
  caughtUp(from: number): Promise<unknown> | undefined {
    const behind = [...this.#readers].filter((reader) => reader.taken >= from && !reader.hasReached(this.#seq));
    return behind.length === 0 ? undefined : Promise.all(behind.map((reader) => reader.reaches(this.#seq)));
  }

  #envelope<K extends EventKind>(kind: K, seq: number, data: EventData[K]): EventEnvelope<K> {
    const { sessionId, agentId, now } = this.#source;
    if (agentId === undefined) return { kind, seq, timestamp: now(), session_id: sessionId, data };
    return { kind, seq, timestamp: now(), session_id: sessionId, agent_id: agentId, data };
  }
}

class Reader implements SessionEvents {
  readonly #leave: () => void;
  #queue: SessionEvent[] = [];
  #head = 0;
  #ended = false;
  #wake: ((result: IteratorResult<SessionEvent>) => void) | undefined;
  /** Seq of the last event that was delivered. */
  #taken = 0;
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = [];
  /** Positions of the deltas at the end of the queue that can still be extended. */
  readonly #mergeable = new Map<string, number>();

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  get taken(): number {
    return this.#taken;
  }

  hasReached(seq: number): boolean {
    return this.#taken >= seq || (this.#ended && this.#head >= this.#queue.length);
  }

  /** Resolves when this event has been delivered or the reader has closed. */
  reaches(seq: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  #note(event: SessionEvent): SessionEvent {
    this.#taken = event.seq;
    this.#release(event.seq);
    return event;
  }

  #release(seq: number): void {
    if (this.#waiting.length === 0) return;
    for (const waiting of this.#waiting) if (waiting.seq <= seq) waiting.resolve();
    this.#waiting = this.#waiting.filter((waiting) => waiting.seq > seq);
  }

  push(event: SessionEvent): void {
    if (this.#wake) {
      const wake = this.#wake;
      this.#wake = undefined;
      wake({ value: this.#note(event), done: false });
      return;
    }
    const key = this.#queue.length - this.#head < HIGH_WATER ? undefined : deltaKey(event);
    if (key === undefined) {
      // Later deltas must not be merged into deltas before this event.
      if (this.#mergeable.size > 0) this.#mergeable.clear();
      this.#queue.push(event);
      return;
    }
    const at = this.#mergeable.get(key);
    if (at !== undefined && at >= this.#head) {
      this.#queue[at] = mergeDeltas(this.#queue[at]!, event);
      return;
    }
    this.#mergeable.set(key, this.#queue.length);
    this.#queue.push(event);
  }

  end(): void {
    this.#ended = true;
    if (this.#head >= this.#queue.length) this.#release(Number.POSITIVE_INFINITY);
    if (this.#wake && this.#head >= this.#queue.length) {
      this.#wake({ value: undefined, done: true });
      this.#wake = undefined;
    }
  }

  takeQueued(): SessionEvent | undefined {
    if (this.#head >= this.#queue.length) return undefined;
    const event = this.#queue[this.#head]!;
    this.#head += 1;
    // We drop half of it at a time, so that a long queue is not copied again and again.
    if (this.#head === this.#queue.length || this.#head >= Math.max(HIGH_WATER, this.#queue.length / 2)) this.#shift();
    return this.#note(event);
  }

  next(): Promise<IteratorResult<SessionEvent>> {
    const value = this.takeQueued();
    if (value !== undefined) return Promise.resolve({ value, done: false });
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  return(): Promise<IteratorResult<SessionEvent>> {
    this.#leave();
    this.#ended = true;
    this.#release(Number.POSITIVE_INFINITY);
    this.#queue = [];
    this.#head = 0;
    this.#wake?.({ value: undefined, done: true });
    this.#wake = undefined;
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #shift(): void {
    this.#queue = this.#queue.slice(this.#head);
    for (const [key, at] of this.#mergeable) {
      if (at < this.#head) this.#mergeable.delete(key);
      else this.#mergeable.set(key, at - this.#head);
    }
    this.#head = 0;
  }
}

type DeltaEvent = Extract<
  SessionEvent,
  { kind: "assistant_text_delta" | "assistant_reasoning_delta" | "tool_call_args_delta" | "tool_call_output_delta" }
>;

function isDelta(event: SessionEvent): event is DeltaEvent {
  return event.kind.endsWith("_delta");
}

function deltaKey(event: SessionEvent): string | undefined {
  if (event.kind === "subagent_event") {
    const inner = deltaKey(event.data.event);
    return inner && `${event.data.agent_id} ${inner}`;
  }
  if (event.kind === "agent_progress") return `${event.kind} ${event.data.agent.agentId}`;
  if (!isDelta(event)) return undefined;
  if (event.kind === "tool_call_output_delta") return `${event.kind} ${event.data.call_id} ${event.data.stream}`;
  if (event.kind === "tool_call_args_delta") return `${event.kind} ${event.data.call_id}`;
  return event.kind;
}

function mergeDeltas(first: SessionEvent, second: SessionEvent): SessionEvent {
  if (first.kind === "subagent_event" && second.kind === "subagent_event") {
    return { ...second, data: { ...second.data, event: mergeDeltas(first.data.event, second.data.event) } };
  }
  // Progress events replace each other: each one holds the agent's current state.
  if (second.kind === "agent_progress") return second;
  if (!isDelta(first) || !isDelta(second)) throw new Error(`cannot merge ${first.kind} with ${second.kind}`);
  return { ...second, data: { ...second.data, delta: first.data.delta + second.data.delta } } as SessionEvent;
}
