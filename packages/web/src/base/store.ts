// A value that changes by actions, and its subscribers. Changes close together cause a single notification.

export interface Store<View, Action> {
  readonly view: View;
  dispatch(action: Action): void;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** `later` runs a function soon, such as before the next animation frame. */
export function createStore<View, Action>(
  reduce: (view: View, action: Action) => View,
  first: View,
  later: (run: () => void) => void,
): Store<View, Action> {
  const listeners = new Set<() => void>();
  let view = first;
  let isPlanned = false;
  const tell = (): void => {
    isPlanned = false;
    for (const listener of listeners) listener();
  };
  return {
    get view() {
      return view;
    },
    dispatch(action) {
      const next = reduce(view, action);
      if (next === view) return;
      view = next;
      if (isPlanned) return;
      isPlanned = true;
      later(tell);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
