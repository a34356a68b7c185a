// Values that stay while one session of a run follows another: created by the first session that needs them, closed
// after the last.

export class SharedBySessions<T extends { close(): Promise<void> }> {
  readonly #shared = new Map<string, { readonly value: T; users: number }>();

  /** Returns the value for this key, or creates it with `make`. Every caller must leave once. */
  enter(key: string, make: () => T): { readonly value: T; leave(): Promise<void> } {
    const shared = this.#shared.get(key) ?? { value: make(), users: 0 };
    this.#shared.set(key, shared);
    shared.users++;
    const leave = async (): Promise<void> => {
      shared.users--;
      if (shared.users > 0) return;
      this.#shared.delete(key);
      await shared.value.close();
    };
    return { value: shared.value, leave };
  }
}
