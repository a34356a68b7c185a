// The model's own checkpoints: it explores, then drops the exploration from its context and keeps a report. Only the
// context goes back, never a file. The checkpoint is kept in memory and ends with its input.

import { textOf } from "@lathe/llm";
import type { CheckpointService } from "../../contract/checkpoints.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { Middleware, RequestVerdict } from "../../contract/seams/types.ts";
import type { ToolDef } from "../../contract/tool.ts";
import { pathTo } from "../../record/journal/context.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { checkpointTool } from "../builtin/checkpoint/index.ts";
import { rewindTool } from "../builtin/rewind/index.ts";
import unfinished from "./unfinished.md";

interface Mark {
  readonly goal: string;
  /** The last entry before the exploration. Known at the next request, when all calls of the answer have results. */
  entryId: string | undefined;
  isReminded: boolean;
}

/** The two checkpoint tools and their middleware; register both in a session. */
export class Checkpoints implements CheckpointService {
  #mark: Mark | undefined;
  #report: string | undefined;

  /** For the session itself, not for its children. */
  tools(): ToolDef[] {
    return [checkpointTool(this), rewindTool(this)] as ToolDef[];
  }

  mark(goal: string): boolean {
    if (this.#mark) return false;
    this.#mark = { goal, entryId: undefined, isReminded: false };
    return true;
  }

  collapse(report: string): boolean {
    if (this.#mark?.entryId === undefined) return false;
    this.#report = report;
    return true;
  }

  middleware(): Middleware {
    return {
      name: "checkpoint",
      onInput: () => {
        this.#mark = undefined;
        this.#report = undefined;
        return undefined;
      },
      beforeRequest: (_info, { journal }) => this.#beforeRequest(journal),
      // Only once: a model that does not react must not be asked forever.
      beforeStop: () => {
        if (!this.#mark || this.#mark.isReminded) return undefined;
        this.#mark.isReminded = true;
        return { continueWith: unfinished.trim() };
      },
    };
  }

  #beforeRequest(journal: JournalReader): RequestVerdict {
    const mark = this.#mark;
    if (!mark || journal.leaf === null) return undefined;
    mark.entryId ??= journal.leaf;
    if (this.#report === undefined) return undefined;
    const said = saidSince(journal, mark.entryId);
    const summary = [
      `You set a checkpoint (${mark.goal}), explored, and went back to it with this report:`,
      this.#report,
      ...(said.length === 0 ? [] : ["The user said in the meantime:", ...said]),
    ].join("\n\n");
    this.#mark = undefined;
    this.#report = undefined;
    return { branch: { to: mark.entryId, summary } };
  }
}

/** The user's messages are never dropped. */
function saidSince(journal: JournalReader, entryId: string): string[] {
  const path = pathTo(journal as Journal, journal.leaf);
  return path.slice(path.indexOf(entryId) + 1).flatMap((id) => {
    const entry = journal.meta(id)?.type === "message" ? journal.entry(id) : undefined;
    if (entry?.type !== "message" || entry.message.role !== "user") return [];
    return entry.origin === "steering" || entry.origin === "follow_up" ? [textOf(entry.message)] : [];
  });
}
