// The present session of a conversation: opening it, and replacing it with another one that keeps what the host has
// chosen.

import type { Session, SessionEvent } from "@lathe/agent";
import type { ModelChoice } from "../models/models.ts";
import {
  closedOnFailure,
  existingJournal,
  memoryJournal,
  moveSessionFile,
  newJournal,
  type OpenedJournal,
} from "../sessions/journals/journal-files.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import type { NextHeader } from "./handoff.ts";
import { modelToResume, type RequestFor, requestWith } from "./next-session.ts";
import { openSession } from "./open-session.ts";
import type { Arrival, OpenSession } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import { takeQueued, type Unsent } from "./unsent-messages.ts";

/** Callbacks of the conversation. */
interface Followers {
  onEvent(open: OpenSession, event: SessionEvent): void;
  onPlan(session: Session, plan: string): void;
}

export class PresentSession {
  readonly #parts: ConversationParts;
  readonly #followers: Followers;
  #workspace: SessionWorkspace;
  #open!: OpenSession;
  /** The model the host chose, even while a larger one is in use temporarily. */
  #chosen!: ModelChoice;
  /** The provider that --api-key and --base-url were given for. */
  #keyed = "";

  constructor(parts: ConversationParts, followers: Followers) {
    this.#parts = parts;
    this.#followers = followers;
    this.#workspace = parts.workspace;
  }

  async start(journal: OpenedJournal): Promise<void> {
    const open = await this.#openWith(journal, () => this.#parts.requestFor(journal), this.#workspace);
    this.#keyed = open.model.provider;
    this.#makePresent(open, { reason: "start", workspace: this.#workspace });
  }

  get workspace(): SessionWorkspace {
    return this.#workspace;
  }
  get open(): OpenSession {
    return this.#open;
  }

  async switchModel(selector: string): Promise<ModelChoice> {
    this.#chosen = await this.#open.switchModel(selector);
    return this.#chosen;
  }

  /** Adds a folder that may be written to, in this session and later ones. */
  addRoot(path: string): void {
    if (this.#workspace.roots.includes(path)) return;
    this.#workspace = { ...this.#workspace, roots: [...this.#workspace.roots, path] };
    this.#open.permissions.addRoot(path);
  }

  /** Goes to an empty session, saved if the present one is. */
  startNew(header: NextHeader, reason: Arrival["reason"]): Promise<Unsent> {
    const isKept = this.#open.journal.path !== undefined;
    return this.#goToNew(isKept ? newJournal(this.#workspace, header) : memoryJournal(this.#workspace), reason);
  }

  /** Opens a session with its own model if that can still be called. */
  async goTo(journal: OpenedJournal, reason: Arrival["reason"], workspace = this.#workspace): Promise<Unsent> {
    const own = await closedOnFailure(journal, () => modelToResume(workspace, journal.journal));
    if (own) return this.#replace(journal, own, reason, workspace);
    return this.#goToNew(journal, reason, workspace);
  }

  /** Moves the session's file, which must be closed for that. If the session cannot continue there, it moves back. */
  async moveTo(there: SessionWorkspace, path: string): Promise<Unsent> {
    const here = this.#workspace;
    await this.#open.close();
    let moved = path;
    let unsent: Unsent;
    try {
      moved = await moveSessionFile(there, path);
      unsent = await this.goTo(existingJournal(there, moved), "move", there);
    } catch (error) {
      if (moved !== path) await moveSessionFile(here, moved);
      await this.goTo(existingJournal(here, path), "resume");
      throw error;
    }
    this.#open.session.reload();
    return unsent;
  }

  async #goToNew(journal: OpenedJournal, reason: Arrival["reason"], workspace = this.#workspace): Promise<Unsent> {
    const { reasoningEffort } = this.#open.session.config;
    const unsent = await this.#replace(journal, this.#chosen, reason, workspace);
    this.#open.session.config.reasoningEffort = reasoningEffort;
    return unsent;
  }

  /** Opens the next session before closing this one: if that fails, nothing has changed. */
  async #replace(
    journal: OpenedJournal,
    model: ModelChoice,
    reason: Arrival["reason"],
    workspace: SessionWorkspace,
  ): Promise<Unsent> {
    const before = this.#open;
    const next = await this.#openWith(
      journal,
      () => requestWith(this.#parts.requestFor, journal, model, this.#keyed, workspace),
      workspace,
    );
    const { steeringMode, followUpMode, interruptMode, retry } = before.session.config;
    Object.assign(next.session.config, { steeringMode, followUpMode, interruptMode, retry });
    // A session that was left in plan mode stays in it; an older session does not enter plan mode because this one is
    // in it.
    const { mode } = before.permissions;
    if (next.permissions.mode !== "plan" && (mode !== "plan" || reason === "new")) next.permissions.mode = mode;
    next.compaction.automatic = before.compaction.automatic;
    const unsent = before.session.state === "closed" ? [] : takeQueued(before.session);
    await before.close();
    this.#workspace = workspace;
    const { path } = before.journal;
    this.#makePresent(next, { reason, workspace, ...(path === undefined ? {} : { previousSessionFile: path }) }, model);
    return unsent;
  }

  #makePresent(open: OpenSession, arrival: Arrival, chosen: ModelChoice = open.model): void {
    this.#open = open;
    this.#chosen = chosen;
    this.#parts.onSession?.(open, arrival);
    open.parts.opened(open, arrival);
  }

  #openWith(
    journal: OpenedJournal,
    request: () => ReturnType<RequestFor>,
    workspace: SessionWorkspace,
  ): Promise<OpenSession> {
    const { person, toolProviders } = this.#parts;
    return closedOnFailure(journal, async () => {
      let open: OpenSession | undefined;
      open = await openSession(workspace, {
        ...(await request()),
        ...(person ? { person } : {}),
        ...(toolProviders ? { toolProviders } : {}),
        onPlan: (plan) => {
          if (open) this.#followers.onPlan(open.session, plan);
        },
        // Events before `open` is assigned (the session's start) are not needed here.
        onEvent: (event) => {
          if (open) this.#followers.onEvent(open, event);
        },
      });
      return open;
    });
  }
}
