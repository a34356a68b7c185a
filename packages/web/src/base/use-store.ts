// The part of a store that a component shows; the component is drawn again when it changes.

import { useEffect, useReducer } from "preact/hooks";
import type { Store } from "./store.ts";

export function useStore<View, Action>(store: Store<View, Action>): View {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.subscribe(() => redraw(undefined)), [store]);
  return store.view;
}
