// Reports where startup time goes. LATHE_DEBUG_STARTUP names each phase when it begins and ends, so that a startup that
// hangs shows where; LATHE_TIMING prints the phases as a tree.

import { writeSync } from "node:fs";
import type { StartTiming } from "../hosts/interactive/start-timing.ts";

type Variables = Readonly<Record<string, string | undefined>>;

interface Span {
  readonly name: string;
  readonly depth: number;
  readonly from: number;
  to?: number;
}

/** Written synchronously, because the next step may be the one that hangs. */
const say = (text: string): void => void writeSync(2, `${text}\n`);

/** `now` returns milliseconds since the process began. */
export function startupReport({ LATHE_TIMING, LATHE_DEBUG_STARTUP }: Variables, now: () => number): StartTiming {
  const spans: Span[] = [];
  let depth = 1;
  let isPrinted = false;
  return {
    leavesWhenReady: LATHE_TIMING === "x",
    async phase(name, work) {
      const span: Span = { name, depth: depth++, from: now() };
      spans.push(span);
      if (LATHE_DEBUG_STARTUP) say(`[startup] ${name}:start`);
      try {
        return await work();
      } finally {
        depth--;
        span.to = now();
        if (LATHE_DEBUG_STARTUP) say(`[startup] ${name}:done`);
      }
    },
    print() {
      if (!LATHE_TIMING || isPrinted) return;
      isPrinted = true;
      const end = now();
      say(line("lathe", 0, end));
      for (const { name, depth: level, from, to = end } of spans) say(line(name, level, to - from));
    },
  };
}

const line = (name: string, depth: number, ms: number): string => `${"  ".repeat(depth)}${name} ${ms.toFixed(1)} ms`;
