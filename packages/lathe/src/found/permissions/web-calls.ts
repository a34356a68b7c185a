// Calls that read the web: which of their addresses were shown, and what counts as shown because of their results.

import type { ApprovalVerdict, CallInfo, SeamContext } from "@lathe/agent";
import type { Access, ToolResult } from "@lathe/agent/contract";
import { addressKey } from "@lathe/agent/files";
import type { JudgedCall } from "@lathe/agent/policy";
import type { ShownAddresses } from "./shown-addresses.ts";

type Network = Access & { readonly kind: "network" };

export class WebCalls {
  readonly shown: ShownAddresses;
  /** Calls whose results show what they list. */
  readonly #showing = new Set<string>();

  constructor(shown: ShownAddresses) {
    this.shown = shown;
  }

  /** Before the call is judged. Most calls read nothing of the web, and nothing is looked up for them. */
  async prepare({ access = [] }: JudgedCall, { journal }: SeamContext): Promise<void> {
    if (access.some(({ kind }) => kind === "network")) await this.shown.update(journal);
  }

  /**
   * After it was judged. What a page shows counts only where the page itself was shown, or a person was asked about it: a page whose
   * address the model made up, and a server of the session, may list whatever the model wants.
   */
  note(key: string, { access = [], tier }: JudgedCall, verdict: ApprovalVerdict): void {
    const items = access.filter((item): item is Network => item.kind === "network");
    if (!verdict || verdict.decision === "deny" || tier === "exec") return;
    const isAsked = verdict.decision === "ask";
    if (items.every((item) => !item.own && (isAsked || this.#isShown(item)))) this.#showing.add(key);
    if (!isAsked) for (const { url } of items) if (url !== undefined) this.shown.choose(url);
  }

  /** The result with the addresses that count as shown from now on; what the call itself named is not shown by its answer. */
  keepShown(key: string, { args }: CallInfo, result: ToolResult): ToolResult | undefined {
    const isShowing = this.#showing.delete(key);
    if (!result.fromWeb) return undefined;
    const named = JSON.stringify(args);
    const isNew = (link: string): boolean => !named.includes(link.replace(/^https?:\/\/|\/$/g, ""));
    const links = isShowing ? result.fromWeb.links.filter((link) => addressKey(link) === link && isNew(link)) : [];
    return { ...result, fromWeb: { ...result.fromWeb, links } };
  }

  #isShown({ url, chosen }: Network): boolean {
    return chosen === true || (url !== undefined && this.shown.problem(url) === undefined);
  }
}
