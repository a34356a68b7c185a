// Room for young objects. V8 doubles it, up to 32 MB, as long as objects are made, however few of them stay: a stream of text that is
// drawn takes tens of megabytes that hold nothing (decision 0139).

import { setFlagsFromString } from "node:v8";
import { onFirstRequest } from "../launcher/first-request.ts";

/** The room stays as large as a start has made it. */
export function keepYoungObjectsFew(): void {
  const stop = onFirstRequest(() => {
    setFlagsFromString("--semi-space-growth-factor=1");
    stop();
  });
}
