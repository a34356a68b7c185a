// What the agent does right now, in specific words.

import { visibleLine } from "@lathe/tui";
import { countOf } from "../../../sessions/numbers.ts";
import type { EventFold } from "./fold.ts";

export interface Activity {
  readonly text: string;
  /** When the input began. */
  readonly since: number;
}

export function activityOf(fold: EventFold): Activity | undefined {
  if (fold.busySince === undefined) return fold.compacting && { text: SUMMARIZING, since: fold.compacting.since };
  return { text: activityText(fold), since: fold.busySince };
}

const SUMMARIZING = "Summarizing earlier messages";

function activityText(fold: EventFold): string {
  const { calls, retry, compacting, preparing, isStreaming } = fold;
  if (calls.some(({ isAsking }) => isAsking)) return "Waiting for your answer";
  if (compacting) return SUMMARIZING;
  if (retry) return "Retrying";
  const running = calls.filter((call) => call.isRunning && !call.isDone);
  const [only] = running;
  // The card above shows what the call works on.
  if (only?.item && running.length === 1) return visibleLine(only.item.card.verb).replace(/ for$/, "");
  if (running.length > 1) return `${countOf(running.length, "call")} running`;
  if (preparing) return "Preparing a tool call";
  if (isStreaming === "thinking") return "Thinking";
  return isStreaming === "text" ? "Answering" : "Waiting for the model";
}
