// The present session of a conversation: how it is opened, and how another one takes its place with all that the host has chosen.

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
import { takeQueued, type Unsent } from "./unsent.ts";

/** What the conversation hears of its sessions. */
interface Followers {
  onEvent(open: OpenSession, event: SessionEvent): void;
  onPlan(session: Session, plan: string): void;
}

export class PresentSession {
  readonly #parts: ConversationParts;
  readonly #followers: Followers;
  #workspace: SessionWorkspace;
  #open!: OpenSession;
  /** What the host chose, even while a larger model is used temporarily. */
  #chosen!: ModelChoice;
  /** --api-key and --base-url are for this provider only. */
  #keyed = "";

  constructor(parts: ConversationParts, followers: Followers) {
    this.#parts = parts;
    this.#followers = followers;
    this.#workspace = parts.workspace;
  }

  async start(journal: OpenedJournal): Promise<void> {
    const open = await this.#openWith(journal, () => this.#parts.requestFor(journal), this.#workspace);
    this.#keyed = open.model.provider;
    this.#use(open, { reason: "start", workspace: this.#workspace });
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

  /** Another folder that may be written to, in this session and those that follow. */
  addRoot(path: string): void {
    if (this.#workspace.roots.includes(path)) return;
    this.#workspace = { ...this.#workspace, roots: [...this.#workspace.roots, path] };
    this.#open.permissions.addRoot(path);
  }

  /** Goes to a session without a past; it is kept on disk when the present one is. */
  startNew(header: NextHeader, reason: Arrival["reason"]): Promise<Unsent> {
    const isKept = this.#open.journal.path !== undefined;
    return this.#goToNew(isKept ? newJournal(this.#workspace, header) : memoryJournal(this.#workspace), reason);
  }

  /** With its own model, if that can still be called. */
  async goTo(journal: OpenedJournal, reason: Arrival["reason"], workspace = this.#workspace): Promise<Unsent> {
    const own = await closedOnFailure(journal, () => modelToResume(workspace, journal.journal));
    if (own) return this.#replace(journal, own, reason, workspace);
    return this.#goToNew(journal, reason, workspace);
  }

  /** The file cannot be moved while it is open. When the session cannot go on there, it goes back. */
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

  /** The next one is opened first: when that fails, nothing has changed. */
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
    // A session that was left while planning goes on planning; no older one plans because this one does.
    const { mode } = before.permissions;
    if (next.permissions.mode !== "plan" && (mode !== "plan" || reason === "new")) next.permissions.mode = mode;
    next.compaction.automatic = before.compaction.automatic;
    const unsent = before.session.state === "closed" ? [] : takeQueued(before.session);
    await before.close();
    this.#workspace = workspace;
    const { path } = before.journal;
    this.#use(next, { reason, workspace, ...(path === undefined ? {} : { previousSessionFile: path }) }, model);
    return unsent;
  }

  #use(open: OpenSession, arrival: Arrival, chosen: ModelChoice = open.model): void {
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
        // Events before the session is assigned (its start) are not needed here.
        onEvent: (event) => {
          if (open) this.#followers.onEvent(open, event);
        },
      });
      return open;
    });
  }
}
