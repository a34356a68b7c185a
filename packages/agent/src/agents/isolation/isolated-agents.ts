// Agents that work in isolated copies: each gets a view of the project, and its changes are applied when it has ended,
// one agent after another.

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

/** Ready-made `isolate` and `leftBy` for the `subagents` option of a session. */
export class IsolatedAgents {
  readonly #options: IsolatedAgentsOptions;
  /** Landings run one after another: each is merged with the results of the previous ones and checked against them. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #said = new Set<string>();

  constructor(options: IsolatedAgentsOptions) {
    this.#options = options;
  }

  /**
   * Undoes and removes what killed processes left, before a session is resumed. Returns messages for the user, one line
   * each.
   */
  async recover(): Promise<readonly string[]> {
    if (!existsSync(this.#options.store)) return [];
    const { landings, work } = await recoverAgentWork(this.#options);
    return [...landings, ...work];
  }

  /** Describes the work of an agent that was cut off when its process ended. */
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

  /** `signal` only ends the opening: the changes of a stopped agent must still be read. */
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
    const line = `Isolated agents work in copies of the kind ${kind}. Not possible here: ${passedOver.join("; ")}.`;
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
