// A session that ends in a briefing for the next one: asking for it, beginning the next session with it, and finding earlier ones again.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  beganWithBriefing,
  HANDOFF,
  HANDOFF_WORDS,
  handoffCall,
  handoffMessage,
  isoTime,
  type Journal,
  RECALL_POINTER,
  roomIn,
  type Session,
  wordsToKeep,
} from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../workspace/workspace.ts";
import type { OpenSession } from "./open-session.ts";

export interface Briefing {
  readonly document: string;
  /** The user's own words, which the model may have left out. */
  readonly words: readonly string[];
}

/** Undefined when it was interrupted, or nothing was written. */
export async function askForBriefing(
  { session, compaction }: OpenSession,
  focus: string | undefined,
): Promise<Briefing | undefined> {
  let answer = await session.callModel("handoff", handoffCall(focus));
  if (answer?.text.trim() === "") answer = await session.callModel("handoff", handoffCall(focus, "tools"));
  const document = answer?.text.trim() ?? "";
  if (document === "") return undefined;
  const { keepUser } = roomIn(session.profile.contextWindowSize, 0, compaction.settings);
  return { document, words: wordsToKeep(session.journal, keepUser) };
}

/** As the first entries of a session. */
export function beginWith(session: Session, { document, words }: Briefing): void {
  session.appendCustomMessage(HANDOFF, handoffMessage(document, RECALL_POINTER));
  for (const text of words) session.appendCustomMessage(HANDOFF_WORDS, text);
}

/** Beside the session that wrote it. Undefined when it could not be saved, which the session says. */
export function saveBriefing(
  { machine }: Workspace,
  { session, journal }: OpenSession,
  { document }: Briefing,
): string | undefined {
  if (journal.folder === undefined) return undefined;
  const path = join(journal.folder, `handoff-${isoTime(machine.deps.now()).replace(/[:.]/g, "-")}.md`);
  try {
    mkdirSync(journal.folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${document}\n`, { mode: 0o600 });
    return path;
  } catch (error) {
    session.warn(`The briefing was not saved: ${messageOf(error)}`, "handoff_not_saved");
    return undefined;
  }
}

/** Sessions that led to this one by briefings, the last one first, as far as their files are still there. */
export function earlierSessions(journal: Journal, open: (path: string) => Journal): Journal[] {
  const found: Journal[] = [];
  for (let last = journal; beganWithBriefing(last); last = found.at(-1)!) {
    const path = last.header.parentSession;
    if (path === undefined || !existsSync(path) || found.some(({ label }) => label === path)) break;
    found.push(open(path));
  }
  return found;
}
