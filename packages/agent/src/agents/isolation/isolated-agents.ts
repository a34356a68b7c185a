// Agents that work apart: each gets a view of the project, and what it changed lands when it has ended, one agent after the other.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openView } from "../../files/isolate/open-view.ts";
import type { View } from "../../files/isolate/types.ts";
import type { Isolation, IsolationRequest } from "../subagents/types.ts";
import { Landing } from "./landing.ts";
import { landingOf } from "./landing-record.ts";
import { interruptedText } from "./landing-text.ts";
import { recoverAgentWork } from "./left-work.ts";
import type { IsolatedAgentsOptions } from "./options.ts";
import { keptPatch } from "./patches.ts";

/** A ready-made `isolate` and `leftBy` for `subagents` of a session. */
export class IsolatedAgents {
  readonly #options: IsolatedAgentsOptions;
  /** Landings come one after the other: each is merged with, and checked against, what the one before made. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #said = new Set<string>();

  constructor(options: IsolatedAgentsOptions) {
    this.#options = options;
  }

  /** Undoes and removes what killed processes left, before a session is resumed. Returns what to tell the user, one line each. */
  async recover(): Promise<readonly string[]> {
    if (!existsSync(this.#options.store)) return [];
    const { landings, work } = await recoverAgentWork(this.#options);
    return [...landings, ...work];
  }

  /** The work of an agent that was cut off by the end of its process. */
  readonly leftBy = (agentId: string): string => {
    const { root, store, patches, journal } = this.#options;
    const view = viewId(agentId, journal.header.id);
    return interruptedText(root, landingOf(journal, agentId), {
      patch: keptPatch(patches, agentId),
      view: existsSync(join(store, view)) ? view : undefined,
    });
  };

  readonly isolate = async (request: IsolationRequest): Promise<Isolation> => {
    const { guard, history } = this.#options;
    const view = await this.#open(request);
    this.#sayPassedOver(view);
    const landing = new Landing(this.#options, request, view);
    return {
      env: guard?.(view.env) ?? view.env,
      kind: view.kind,
      land: (wish) => this.#inTurn(() => landing.land(wish)),
      close: async (toldBy) => {
        history?.endLanding(toldBy);
        await (landing.isUnread ? view.leave() : view.close());
      },
    };
  };

  /** `signal` ends the opening only: what an agent did that was stopped is still to be read. */
  async #open({ agentId, type, signal }: IsolationRequest): Promise<View> {
    const { root, store, host, sandbox, container, personalIgnores, journal, patches, kind } = this.#options;
    const opening = new AbortController();
    const stop = (): void => opening.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await openView({
        root,
        kind: kind?.(type) ?? "auto",
        id: viewId(agentId, journal.header.id),
        store,
        host,
        sandbox,
        container,
        personalIgnores,
        isKept: true,
        agent: { id: agentId, patches },
        signal: opening.signal,
      });
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #sayPassedOver({ kind, passedOver }: View): void {
    if (passedOver.length === 0) return;
    const line = `Isolated agents work in views of the kind ${kind}. Not possible here: ${passedOver.join("; ")}.`;
    if (!this.#said.has(line)) this.#options.warn?.(line);
    this.#said.add(line);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Agents of two sessions may have the same name, and names may be long. */
function viewId(agentId: string, sessionId: string): string {
  const sign = createHash("sha256").update(`${sessionId} ${agentId}`).digest("hex").slice(0, 12);
  return `${agentId.replaceAll(".", "-").slice(0, 60)}-${sign}`;
}
