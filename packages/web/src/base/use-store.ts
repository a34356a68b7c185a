// What a component shows of a store; it is drawn again when the store has changed.

import { useEffect, useReducer } from "preact/hooks";
import type { Store } from "./store.ts";

export function useStore<View, Action>(store: Store<View, Action>): View {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.subscribe(() => redraw(undefined)), [store]);
  return store.view;
}
