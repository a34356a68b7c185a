// Handoff: asks a session for a briefing, starts the next session with it, and finds the sessions that led to one.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Journal, Session } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import {
  beganWithBriefing,
  HANDOFF,
  HANDOFF_WORDS,
  handoffCall,
  handoffMessage,
  problemForPeople,
  problemWithBriefing,
  roomIn,
  wordsToKeep,
} from "@lathe/agent/context";
import { isoTime } from "@lathe/agent/record";
import { RECALL_POINTER } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";
import { usageError } from "../platform/usage/exit.ts";
import { journalName } from "../sessions/list.ts";
import type { OpenSession } from "./session-contract.ts";
import { takeQueued, type Unsent } from "./unsent-messages.ts";

interface Briefing {
  readonly document: string;
  /** The user's own messages, which the model may have left out. */
  readonly words: readonly string[];
}

/** The result of a handoff. */
export interface HandedOff extends Briefing {
  /** Messages that arrived meanwhile. */
  readonly unsent: Unsent;
}

export interface NextHeader {
  readonly parentSession?: string | undefined;
  readonly title?: string | undefined;
}

/** Starts the next session, unless a hook objects. */
type StartNext = (header: NextHeader) => Promise<{
  readonly cancelled?: string;
  readonly unsent?: Unsent;
  readonly session: Session;
}>;

/** Undefined when interrupted; throws with the reason if no new session started. */
export async function handOff(
  open: OpenSession,
  focus: string | undefined,
  startNext: StartNext,
): Promise<HandedOff | undefined> {
  await open.session.interrupt();
  const { journal } = open.session;
  if (journal.context.messages.length < 2) throw usageError("Nothing to hand off (no messages yet)");
  const briefing = await askForBriefing(open, focus);
  if (!briefing) return undefined;
  const header = { parentSession: open.journal.path, title: journalName(journal) };
  const { cancelled, unsent = [], session } = await startNext(header);
  if (cancelled !== undefined) throw new Error(`no new session was started: ${cancelled}`);
  writeBriefing(session, briefing);
  return { ...briefing, unsent };
}

/** If the handoff fails, the older messages are summarized. Returns the messages that arrived meanwhile. */
export async function handOffOrSummarize(
  workspace: Workspace,
  open: OpenSession,
  attempt: () => Promise<HandedOff | undefined>,
): Promise<Unsent> {
  const { session, compaction } = open;
  try {
    const done = await attempt();
    if (done && workspace.settings["compaction.handoffSaveToDisk"]) saveBriefing(workspace, open, done);
    return done?.unsent ?? [];
  } catch (error) {
    if (session.state === "closed") throw error;
    session.warn(`Handoff failed: ${sentence(messageOf(error))}`, "handoff_failed");
    await session.compact(compaction.compaction.demand({ trigger: "threshold" }));
    return takeQueued(session);
  }
}

const ATTEMPTS = 2;
const LEAST_BRIEFING_TOKENS = 200;
/** Assumed if the model's window is unknown. */
const USUAL_WINDOW = 100_000;

/** Undefined when interrupted; throws with the reason if no briefing is acceptable. */
async function askForBriefing(
  { session, compaction }: OpenSession,
  focus: string | undefined,
): Promise<Briefing | undefined> {
  const { keepUser, summary } = roomIn(session.profile.contextWindowSize || USUAL_WINDOW, 0, compaction.settings);
  let problem: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await session.callModel("handoff", handoffCall(focus, problem));
    if (!answer) return undefined;
    problem = problemWithBriefing(answer, Math.max(LEAST_BRIEFING_TOKENS, summary));
    if (problem === undefined) return { document: answer.text.trim(), words: wordsToKeep(session.journal, keepUser) };
  }
  throw new Error(`the briefing cannot be used: ${problemForPeople(problem ?? "")}`);
}

/** Writes the first entries of a session. They record the model, because no request has done so yet. */
function writeBriefing(session: Session, { document, words }: Briefing): void {
  session.appendCustomMessage(HANDOFF, handoffMessage(document, RECALL_POINTER));
  for (const text of words) session.appendCustomMessage(HANDOFF_WORDS, text);
  session.noteModel();
}

/** Saves the briefing next to the session that wrote it. Undefined if that failed, which the session reports. */
function saveBriefing(
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

/** Sessions that led to this one by briefings, latest first, as long as their files exist. */
export function earlierSessions(journal: Journal, open: (path: string) => Journal): Journal[] {
  const found: Journal[] = [];
  for (let last = journal; beganWithBriefing(last); last = found.at(-1)!) {
    const path = last.header.parentSession;
    if (path === undefined || !existsSync(path) || found.some(({ label }) => label === path)) break;
    found.push(open(path));
  }
  return found;
}
