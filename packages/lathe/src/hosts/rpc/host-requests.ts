// Requests of the agent to its host that wait for an answer. Each ends in one of three ways: answered, cancelled by the
// agent (which tells the host), or lost because the host has gone.

export class HostGone extends Error {
  constructor() {
    super("the host disconnected");
    this.name = "HostGone";
  }
}

interface Open<Reply, Update> {
  readonly settle: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
  readonly onUpdate?: (update: Update) => void;
}

export interface AskOptions<Update> {
  readonly signal: AbortSignal;
  /** In milliseconds; 0 waits until the signal aborts. */
  readonly timeoutMs?: number;
  readonly onUpdate?: (update: Update) => void;
}

export class HostRequests<Reply, Update = never> {
  readonly #open = new Map<string, Open<Reply, Update>>();
  readonly #newId: () => string;
  readonly #giveUp: (targetId: string, id: string, by?: string) => void;

  /** `giveUp` tells the host that the answer is no longer needed, and who answered, if known. */
  constructor(newId: () => string, giveUp: (targetId: string, id: string, by?: string) => void) {
    this.#newId = newId;
    this.#giveUp = giveUp;
  }

  /** Undefined when the time was up; rejects with the signal's reason, or with HostGone. */
  ask(send: (id: string) => void, options: AskOptions<Update>): Promise<Reply | undefined> {
    const { signal, timeoutMs = 0, onUpdate } = options;
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = this.#newId();
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#open.delete(id);
      };
      const abandon = (by?: string): void => {
        end();
        this.#giveUp(id, this.#newId(), by);
      };
      const onAbort = (): void => {
        abandon(typeof signal.reason === "string" ? signal.reason : undefined);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      if (timeoutMs > 0) {
        timer = setTimeout(() => {
          abandon("deadline");
          resolve(undefined);
        }, timeoutMs);
      }
      this.#open.set(id, {
        settle: (reply) => {
          end();
          resolve(reply);
        },
        fail: (error) => {
          end();
          reject(error);
        },
        ...(onUpdate ? { onUpdate } : {}),
      });
      send(id);
    });
  }

  /** An unknown id is ignored: its answer came too late. */
  answer(id: string, reply: Reply): void {
    this.#open.get(id)?.settle(reply);
  }
  update(id: string, update: Update): void {
    this.#open.get(id)?.onUpdate?.(update);
  }

  hostGone(): void {
    for (const open of [...this.#open.values()]) open.fail(new HostGone());
  }
}
