// The data of server-sent events, for answers that are read to their end before anything is made of them.

import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";
import { EngineFailure } from "../engine.ts";

/** A stream that was cut off, or is none, is a failure. */
export function eventsOf(text: string): readonly JsonObject[] {
  const events: JsonObject[] = [];
  for (const [, data = ""] of text.matchAll(/^data: ?(.*)$/gm)) {
    if (data.trim() === "[DONE]") continue;
    const value = parseJson(data);
    if (!isJsonObject(value)) throw new EngineFailure("the answer was cut off");
    events.push(value);
  }
  if (events.length === 0) throw new EngineFailure("the answer is not what its API describes");
  return events;
}
