// Pictures of entries, read when they are drawn. The most recent ones are cached, since users scroll back and forth.

import type { LatheClient } from "lathe/client";
import { mediaIn } from "../state/pictures.ts";

const MOST_KEPT = 16;

export type ReadPictures = (entryId: string) => Promise<ReturnType<typeof mediaIn>>;

export function pictureReader(client: LatheClient, id: string): ReadPictures {
  const kept = new Map<string, ReturnType<ReadPictures>>();
  return (entryId) => {
    const known = kept.get(entryId);
    const reading = known ?? client.command(id, "get_entry", { entryId }).then(({ entry }) => mediaIn(entry));
    kept.delete(entryId);
    kept.set(entryId, reading);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    // A failed picture is requested again when it is drawn the next time.
    reading.catch(() => kept.delete(entryId));
    return reading;
  };
}
