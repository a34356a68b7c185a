// The data of server-sent events, for answers that are read to the end first.

import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";
import { EngineFailure } from "../engine.ts";

/** Fails if the stream was cut off or is not a stream of events. */
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
