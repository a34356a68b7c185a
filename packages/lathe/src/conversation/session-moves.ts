// Leaves the present session for another one, or moves within its tree, at the request of the user or a host.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Navigation } from "@lathe/agent";
import { branchSummarizer } from "@lathe/agent/context";
import type { SessionSwitch } from "@lathe/agent/contract";
import { branchPoint, readHead, realJournalPath } from "@lathe/agent/record";
import { existingDirectory } from "../config/workspace/workspace.ts";
import { PRACTICE_PROVIDER } from "../models/practice/name.ts";
import { usageError } from "../platform/usage/exit.ts";
import { copyUpTo, existingJournal, forkedJournal } from "../sessions/journals/journal-files.ts";
import { journalName } from "../sessions/list.ts";
import type { ConversationParts, Departure } from "./conversation-parts.ts";
import type { NextHeader } from "./handoff.ts";
import type { PresentSession } from "./present-session.ts";
import type { Unsent } from "./unsent-messages.ts";

export class SessionMoves {
  readonly #present: PresentSession;
  readonly #workspaceAt: ConversationParts["workspaceAt"];

  constructor(present: PresentSession, { workspaceAt }: Pick<ConversationParts, "workspaceAt">) {
    this.#present = present;
    this.#workspaceAt = workspaceAt;
  }

  /** Starts an empty session, saved if the present one is. */
  startNew(header: NextHeader): Promise<Departure> {
    return this.#leaveFor({ reason: "new" }, () => this.#present.startNew(header, "new"));
  }

  /** Resumes another session of this directory, with its own model and effort if they are still available. */
  async resume(sessionPath: string): Promise<Departure> {
    const path = realJournalPath(resolve(this.#present.workspace.machine.cwd, sessionPath));
    if (path === this.#present.open.journal.path) return {};
    const cwd = existsSync(path) ? readHead(path)?.header.cwd : undefined;
    if (cwd !== undefined && cwd !== this.#present.workspace.cwd)
      throw usageError(`Session ${sessionPath} is in another project (${cwd}). Start the agent there.`);
    return this.#leaveFor({ reason: "resume", sessionFile: path }, () =>
      this.#present.goTo(existingJournal(this.#present.workspace, path), "resume"),
    );
  }

  /**
   * Recovers from a session that ended by itself, as on a full disk: reopens it from what its file holds, or starts a
   * new one.
   */
  async reopen(): Promise<"resumed" | "new"> {
    const { path } = this.#present.open.journal;
    await this.#present.open.close();
    const isKept = path !== undefined && existsSync(path);
    if (isKept) await this.#present.goTo(existingJournal(this.#present.workspace, path), "resume");
    else await this.#present.startNew({}, "new");
    return isKept ? "resumed" : "new";
  }

  /** Continues in a copy of the present session; the original does not change. */
  async fork(): Promise<Departure> {
    this.#mustBeIdle();
    const path = this.requireSavedFile("copied");
    return this.#leaveFor({ reason: "fork" }, () =>
      this.#present.goTo(forkedJournal(this.#present.workspace, path), "fork"),
    );
  }

  /** Continues in a new session with the history before a message of the user, and returns that message's text. */
  async branch(entryId: string): Promise<Departure & { readonly text: string }> {
    this.#mustBeIdle();
    const { journal } = this.#present.open;
    const { upTo, text } = branchPoint(journal.journal, entryId);
    const cancelled = await this.#present.open.session.mayBranch(entryId);
    if (cancelled !== undefined) return { cancelled, text };
    const title = `Branch of ${journalName(journal.journal) ?? "a session"}`;
    if (upTo === null) await this.#present.startNew({ parentSession: journal.path, title }, "branch");
    else {
      await this.#present.goTo(copyUpTo(this.#present.workspace, journal, upTo), "branch");
      this.#present.open.session.journal.setTitle(title, "auto");
    }
    return { text };
  }

  /** Moves to another entry of the session's tree (null: the start). Without `summarize`, the settings decide. */
  async navigate(
    entryId: string | null,
    { summarize, focus }: { readonly summarize?: boolean; readonly focus?: string } = {},
  ): Promise<Navigation> {
    this.#mustBeIdle();
    const { settings } = this.#present.workspace;
    const isWanted = summarize ?? (focus !== undefined || settings["branchSummary.enabled"]);
    if (!isWanted) return this.#present.open.session.navigate(entryId);
    if (this.#present.open.model.provider === PRACTICE_PROVIDER)
      throw usageError("The practice model cannot summarize. Choose a model first, or move without a summary.");
    const reserveTokens = settings["branchSummary.reserveTokens"];
    return this.#present.open.session.navigate(entryId, { summarize: branchSummarizer({ reserveTokens, focus }) });
  }

  /** Moves the present session to another directory, whose settings and instructions apply from then on. */
  async move(directory: string): Promise<Departure> {
    this.#mustBeIdle();
    const workspaceAt = this.#workspaceAt;
    if (!workspaceAt) throw usageError("A session cannot be moved from here. Use: lathe sessions move <id> <folder>");
    const { machine, cwd } = this.#present.workspace;
    const to = existingDirectory(machine, directory);
    if (to === cwd) throw usageError(`This session is in ${cwd} already.`);
    const path = this.requireSavedFile("moved");
    return this.#leaveFor({ reason: "move" }, async () => this.#present.moveTo(await workspaceAt(to), path));
  }

  #mustBeIdle(): void {
    if (this.#present.open.session.state === "processing")
      throw usageError("The agent is working. Interrupt it first, then try again.");
  }

  /** The session's file, for operations that need one. */
  requireSavedFile(done: string): string {
    const { path } = this.#present.open.journal;
    if (path !== undefined && existsSync(path)) return path;
    throw usageError(
      path === undefined
        ? `This session is not saved (it was started with --no-session), so it cannot be ${done}.`
        : `This session has no messages yet, so it cannot be ${done}. Send one first.`,
    );
  }

  /** A hook may object; then nothing has changed. */
  async #leaveFor(to: SessionSwitch, go: () => Promise<Unsent>): Promise<Departure> {
    const cancelled = await this.#present.open.session.maySwitch(to);
    if (cancelled !== undefined) return { cancelled };
    return { unsent: await go() };
  }
}
