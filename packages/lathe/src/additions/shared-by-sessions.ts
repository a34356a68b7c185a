// What stays while one session of a run follows another: made with the first one that needs it, ended after the last.

export class SharedBySessions<T extends { close(): Promise<void> }> {
  readonly #shared = new Map<string, { readonly value: T; users: number }>();

  /** What was made of the same things, which `key` names; else `make` makes it. Everyone who enters leaves once. */
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
