// Opens the sessions of children: chooses each one's model, applies its kind, and passes on its events.

import { ToolFailure } from "../../contract/tool.ts";
import type { Child } from "./child.ts";
import { Completion } from "./completion.ts";
import type { ParentSession } from "./parent.ts";
import { limitRequests } from "./run-limits.ts";
import type { AgentRole, ChildSession } from "./types.ts";

export class ChildSessions {
  readonly #parent: ParentSession;

  constructor(parent: ParentSession) {
    this.#parent = parent;
  }

  open(child: Child): ChildSession {
    const { facts, type, shared } = child;
    const { agentId } = facts.header;
    const completion = type && new Completion(type.output);
    const session = this.#parent.open({
      header: facts.header,
      profile: this.profile(facts.model),
      role: this.#role(),
      type,
      completion,
      assignment: facts.task,
      shared,
      env: child.isolation?.env,
      onEvent: (event) => {
        if (event.kind === "user_input") child.unread = undefined;
        child.run?.troubles.follow(event);
        limitRequests(child, event, this.#parent.options.limits?.() ?? {});
        shared?.follow(agentId, event);
        this.#parent.childEvent(agentId, event);
        this.#parent.directory.noteEvent(agentId, event);
      },
    });
    completion?.attach({
      endInput: () => session.endInput(),
      force: (choice) => {
        if (!session.profile.modelInfo?.refusesForcedTools) session.forceToolChoice(choice);
      },
    });
    child.completion = completion;
    return session;
  }

  profile(model: string | undefined): ParentSession["profile"] {
    const own = this.#role()?.profile ?? this.#parent.profile;
    if (model === undefined || model === own.model) return own;
    const profile = this.#parent.options.profileFor?.(model);
    if (!profile) throw new ToolFailure(`No model "${model}" is available here; omit model to use your own.`);
    return profile;
  }

  #role(): AgentRole | undefined {
    return this.#parent.options.defaultRole?.();
  }
}
