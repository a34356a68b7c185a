// Files of versions 1 to 3 are converted in memory and never changed; the first write goes to a new file.

import type { BlobStore } from "../../base/blobs/store.ts";
import { JOURNAL_VERSION, type JournalLoss } from "../../contract/journal.ts";
import { parseChecked } from "./decode.ts";
import { JournalError } from "./errors.ts";
import { type NewHeader, newHeader } from "./header.ts";
import { toEntryFields } from "./import-message.ts";
import { Journal } from "./journal.ts";
import { encodeLine, forEachLine } from "./line.ts";
import { LossList } from "./losses.ts";
import type { JournalDeps } from "./new-lines.ts";
import { toStored } from "./payload.ts";
import { type JournalStore, MemoryStore } from "./store.ts";
import { isoTime } from "./timestamp.ts";

type Raw = Record<string, unknown>;

/** The session that continues an old file. */
export interface ImportOptions {
  /** Id of the new session that continues the old one. */
  readonly id: string;
  readonly openStore: () => JournalStore;
}

/** Opens a file of an older format (1 to 3); it stays as it is, and the first write goes to a new file. */
export function importJournal(old: JournalStore, options: ImportOptions, deps: JournalDeps): Journal {
  const losses = new LossList();
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
  held.append(encodeLine(newHeader(continuedHeader(header, options.id, old.label), isoTime(deps.now()))));
  const known = new Set<unknown>();
  for (const raw of entries) {
    const parentId = raw["parentId"] ?? null;
    const parentKnown = parentId === null || known.has(parentId);
    if (!parentKnown) losses.add(orphan(raw["id"], parentId));
    held.append(encodeLine(convert(raw, parentKnown ? parentId : null, deps.blobs)));
    known.add(raw["id"]);
  }
  const journal = Journal.open(held, deps, options.openStore);
  journal.addLosses(losses.list);
  return journal;
}

const TEXTS = ["timestamp", "cwd", "title", "parentCall", "agentId", "runId", "runDigest"] as const;

/** What the old header says and can be used. */
function continuedHeader(old: Raw, id: string, parentSession: string): NewHeader {
  const kept = TEXTS.flatMap((key) => (typeof old[key] === "string" ? [[key, old[key]]] : []));
  const { titleSource } = old;
  return {
    cwd: "/",
    ...Object.fromEntries(kept),
    ...(titleSource === "auto" || titleSource === "user" ? { titleSource } : {}),
    id,
    parentSession,
  };
}

function readLines(store: JournalStore, losses: LossList): Raw[] {
  const lines: Raw[] = [];
  let number = 0;
  forEachLine((offset, length) => store.read(offset, length), store.size, {
    line(line, _offset, ended) {
      number++;
      const parsed = parseChecked(line);
      if ("value" in parsed) lines.push(parsed.value);
      else if (line.length > 0) losses.add(unreadable(number, line.length, ended));
    },
    tooLong(length, _offset, ended) {
      number++;
      losses.add(unreadable(number, length, ended));
    },
  });
  return lines;
}

function unreadable(line: number, bytes: number, ended: boolean): JournalLoss {
  return ended
    ? { kind: "corrupt_line", line, bytes, message: `Line ${line} is not readable (${bytes} bytes); it is skipped.` }
    : { kind: "torn_tail", line, bytes, message: `Line ${line} (the last) is incomplete; it is dropped.` };
}

function orphan(id: unknown, parentId: unknown): JournalLoss {
  const message = `Entry ${JSON.stringify(id)} has the parent ${JSON.stringify(parentId)}, which is not in the file; it is now at the start.`;
  return { kind: "orphan_entry", line: 0, bytes: 0, message };
}

/** Version 1 had no ids: file order is the chain, and a compaction counts lines (the header is line 0). */
function chain(lines: readonly Raw[], newId: () => string): Raw[] {
  const taken = new Set<string>();
  while (taken.size < lines.length) taken.add(newId());
  const ids = [...taken];
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
