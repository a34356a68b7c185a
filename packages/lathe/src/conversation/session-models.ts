// The models that a session may use: their profiles, and switching from one to another.

import { familyOf, type Profile, type ToolDef } from "@lathe/agent";
import { adapterOf, connect, type ModelChoice } from "../models/connect.ts";
import { type LearnableVariant, ownVariant } from "../models/edit-record.ts";
import { type Models, PRACTICE_PROVIDER } from "../models/models.ts";
import { type ProfileWish, profileFor } from "../models/profile.ts";
import { digestModels, smallModels, summaryModels, usualModels, visionModels } from "../models/side-models.ts";
import { isBegun, learnedVariant } from "./learned-variant.ts";
import { streamTimeouts } from "./session-config.ts";
import type { SessionRequest } from "./session-contract.ts";
import type { SessionHandle } from "./session-handle.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import { openOnUse, type SwitchableClient } from "./switchable-client.ts";

export interface SessionModelsParts {
  readonly workspace: SessionWorkspace;
  readonly request: SessionRequest;
  readonly session: SessionHandle;
  readonly client: SwitchableClient;
  readonly known: Models;
  readonly agentTool: ToolDef;
}

export class SessionModels {
  /** Every available model. */
  readonly known: Models;
  /** Whether the session already has entries. */
  readonly isResumed: boolean;
  /** The edit format that earlier edits of its first model led to. */
  readonly learnedVariant: LearnableVariant | undefined;
  readonly #parts: SessionModelsParts;
  readonly #wish: ProfileWish;
  #current: ModelChoice;

  constructor(parts: SessionModelsParts) {
    this.#parts = parts;
    this.known = parts.known;
    const { workspace, request } = parts;
    const { journal } = request.opened;
    this.isResumed = isBegun(journal);
    this.learnedVariant =
      request.adapter || request.model.provider === PRACTICE_PROVIDER
        ? undefined
        : learnedVariant(workspace, request.model, request.profile, journal);
    this.#wish = {
      ...request,
      agentTool: parts.agentTool,
      ...(this.learnedVariant === undefined ? {} : { learnedVariant: this.learnedVariant }),
    };
    this.#current = request.model;
  }

  /** The edit format in use. */
  get editVariant(): LearnableVariant {
    const { settings } = this.#parts.workspace;
    return settings.editVariant || this.learnedVariant || ownVariant(this.#parts.session.current.profile.id);
  }

  get current(): ModelChoice {
    return this.#current;
  }

  /** The profile of the session under this model; `tools` replaces its usual tools. */
  profileFor(choice: ModelChoice, tools?: readonly string[]): Profile {
    return profileFor(this.#parts.workspace, tools ? { ...this.#wish, tools } : this.#wish, choice);
  }

  /** The profile for another model than the session's; its provider can be called from now on. */
  otherProfile(choice: ModelChoice): Profile {
    const { workspace, client } = this.#parts;
    const { provider } = choice;
    if (!client.has(provider))
      client.add(
        provider,
        openOnUse(provider, () => adapterOf(workspace, this.known, choice)),
      );
    return this.profileFor(choice);
  }

  /** The models for a call outside the conversation, by role; empty: the session's own. */
  forRole(role: string): readonly Profile[] {
    if (this.#parts.request.adapter) return [];
    const profile = (choice: ModelChoice): Profile =>
      choice === this.#current ? this.#parts.session.current.profile : this.otherProfile(choice);
    const current = this.#current;
    if (role === "memory") return usualModels(this.known, current).map(profile);
    if (role === "memory_digest") return digestModels(this.known, current).map(profile);
    if (role === "title" || role === "smol") return smallModels(this.known, current).map(profile);
    if (role === "vision") return visionModels(this.known, current).map(profile);
    return role === "summary" ? summaryModels(this.known, current).map(profile) : [];
  }

  /** Takes effect with the next request. */
  async switchTo(choice: ModelChoice, role?: string, reason?: string): Promise<void> {
    const { workspace, request, client } = this.#parts;
    const session = this.#parts.session.current;
    const overrides = choice.provider === request.model.provider ? request.overrides : undefined;
    client.rest(this.#current.provider);
    client.add(choice.provider, await connect(workspace, choice, overrides));
    // A larger model that takes over keeps the tools that the history knows.
    const goesOn = role === "temporary" && session.profile.id === "minimal" && familyOf(choice.id) === "lathe";
    const wish = goesOn ? { ...this.#wish, profile: "minimal" as const } : this.#wish;
    session.setProfile(profileFor(workspace, wish, choice), role, reason);
    Object.assign(session.config, { reasoningEffort: choice.effort, ...streamTimeouts(workspace, this.known, choice) });
    this.#current = choice;
  }
}
