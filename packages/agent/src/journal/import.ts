// Files of versions 1 to 3 are converted in memory and never changed; the first write goes to a new file.

import type { BlobStore } from "../blobs/store.ts";
import { JournalError } from "./errors.ts";
import { newHeader } from "./header.ts";
import { toEntryFields } from "./import-message.ts";
import { Journal, type JournalDeps } from "./journal.ts";
import { encodeLine, forEachLine } from "./line.ts";
import { toStored } from "./payload.ts";
import { type JournalStore, MemoryStore } from "./store.ts";
import { isoTime } from "./timestamp.ts";
import { JOURNAL_VERSION, type JournalLoss, type SessionHeader } from "./types.ts";

type Raw = Record<string, unknown>;

export interface ImportOptions {
  /** Id of the new session that continues the old one. */
  readonly id: string;
  readonly openStore: () => JournalStore;
}

export function importJournal(old: JournalStore, options: ImportOptions, deps: JournalDeps): Journal {
  const losses: JournalLoss[] = [];
  const [header, ...lines] = readLines(old, losses);
  const version = header?.["version"] ?? 1;
  if (header?.["type"] !== "session" || typeof header["id"] !== "string" || typeof version !== "number") {
    throw new JournalError("corrupt", `${old.label} is not a session file: its first line is not a session header.`);
  }
  if (version >= JOURNAL_VERSION) {
    throw new JournalError("version", `${old.label} has session format ${version}; open it, it needs no import.`);
  }
  const entries = version < 2 ? chain(lines, deps.newId) : lines;
  const held = new MemoryStore("", old.label);
  const oldHeader = header as unknown as SessionHeader;
  const kept = { ...oldHeader, id: options.id, parentSession: old.label };
  held.append(encodeLine(newHeader(kept, isoTime(deps.now()))));
  const known = new Set<unknown>();
  for (const raw of entries) {
    const parentId = raw["parentId"] ?? null;
    const parentKnown = parentId === null || known.has(parentId);
    if (!parentKnown) losses.push(orphan(String(raw["id"]), String(parentId)));
    held.append(encodeLine(convert(raw, parentKnown ? parentId : null, deps.blobs)));
    known.add(raw["id"]);
  }
  const journal = Journal.open(held, deps, options.openStore);
  journal.losses.push(...losses);
  return journal;
}

function readLines(store: JournalStore, losses: JournalLoss[]): Raw[] {
  const lines: Raw[] = [];
  let number = 0;
  forEachLine(
    (offset, length) => store.read(offset, length),
    store.size,
    (line, _offset, ended) => {
      number++;
      const parsed = parse(line);
      if (parsed) lines.push(parsed);
      else if (line.length > 0) losses.push(unreadable(number, line.length, ended));
    },
  );
  return lines;
}

function parse(line: Buffer): Raw | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(line: number, bytes: number, ended: boolean): JournalLoss {
  return ended
    ? { kind: "corrupt_line", line, bytes, message: `Line ${line} is not readable (${bytes} bytes); it is left out.` }
    : { kind: "torn_tail", line, bytes, message: `Line ${line} (the last) breaks off; it is dropped.` };
}

function orphan(id: string, parentId: string): JournalLoss {
  const message = `Entry ${id} hangs on ${parentId}, which is not in the file; it now stands at the start.`;
  return { kind: "orphan_entry", line: 0, bytes: 0, message };
}

/** Version 1 had no ids: file order is the chain, and a compaction counts lines (the header is line 0). */
function chain(lines: readonly Raw[], newId: () => string): Raw[] {
  const ids: string[] = [];
  while (ids.length < lines.length) {
    const id = newId();
    if (!ids.includes(id)) ids.push(id);
  }
  return lines.map((line, at) => {
    const { firstKeptEntryIndex, ...rest } = line;
    const firstKept = typeof firstKeptEntryIndex === "number" ? ids[firstKeptEntryIndex - 1] : undefined;
    return {
      ...rest,
      ...(firstKept === undefined ? {} : { firstKeptEntryId: firstKept }),
      id: ids[at],
      parentId: ids[at - 1] ?? null,
    };
  });
}

function convert(raw: Raw, parentId: unknown, blobs: BlobStore): object {
  const { type, id, parentId: _old, timestamp, ...rest } = raw;
  const fields = toEntryFields(type, rest);
  const stored = toStored(fields.body, blobs) as Raw;
  return { type: fields.type, id, parentId, timestamp: timestamp ?? "", ...stored };
}
