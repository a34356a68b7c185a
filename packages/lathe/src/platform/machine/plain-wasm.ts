// Controls how V8 compiles grammars. By default V8 compiles each of them a second time in the background, for speed
// that a few short texts never need, and the process cannot end before that is done: seconds after the answer (decision
// 0166).

import { setFlagsFromString } from "node:v8";
import { onFirstRequest } from "../launcher/first-request.ts";

/** Makes V8 compile wasm once, with its quick compiler only. */
export function compileWasmOnce(): void {
  setFlagsFromString("--liftoff-only");
}

/** Grammars are only needed for the model's calls, so this can wait for the first request. */
export function compileWasmOnceInTime(): void {
  const stop = onFirstRequest(() => {
    compileWasmOnce();
    stop();
  });
}
