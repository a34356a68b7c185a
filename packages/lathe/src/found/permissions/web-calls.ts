// Calls that read the web: which of their addresses were shown, and which addresses in their results count as shown.

import type { CallInfo, SeamContext } from "@lathe/agent";
import type { Access, ToolResult } from "@lathe/agent/contract";
import { addressKey } from "@lathe/agent/files";
import type { JudgedCall } from "@lathe/agent/policy";
import type { ShownAddresses } from "./shown-addresses.ts";

type Network = Access & { readonly kind: "network" };

export class WebCalls {
  readonly shown: ShownAddresses;
  /** Calls whose results may show the links they list. */
  readonly #showing = new Set<string>();

  constructor(shown: ShownAddresses) {
    this.shown = shown;
  }

  /** Call this before a call is judged. Most calls do not read the web, so nothing is looked up for them. */
  async prepare(call: JudgedCall, { journal }: SeamContext): Promise<void> {
    if (networkOf(call).length > 0) await this.shown.update(journal);
  }

  /**
   * Call this right after a call was judged, because the calls of one answer are judged in parallel. Links on a page
   * only count as shown if the page itself was shown or the user was asked about it: a page whose address the model
   * made up, or a server of the session, may list whatever the model wants.
   */
  take(key: string, call: JudgedCall): void {
    const items = networkOf(call);
    if (items.every((item) => this.#isShown(item))) this.#show(key, call);
    for (const { url, kept, chosen } of items) if (url !== undefined && !kept && !chosen) this.shown.choose(url);
  }

  /** Call this when the user is asked; if they deny the call, there is no result. */
  ask(key: string, call: JudgedCall): void {
    this.#show(key, call);
  }

  /** The result with the addresses that count as shown from now on. Addresses in the call's own arguments do not. */
  keepShown(key: string, { args }: CallInfo, result: ToolResult): ToolResult | undefined {
    const isShowing = this.#showing.delete(key);
    if (!result.fromWeb) return undefined;
    const named = JSON.stringify(args);
    const isNew = (link: string): boolean => !named.includes(link.replace(/^https?:\/\/|\/$/g, ""));
    const links = isShowing ? result.fromWeb.links.filter((link) => addressKey(link) === link && isNew(link)) : [];
    // Also for a subagent, whose journal its parent does not read.
    for (const link of links) this.shown.addLink(link);
    return { ...result, fromWeb: { ...result.fromWeb, links } };
  }

  #show(key: string, call: JudgedCall): void {
    if (call.tier !== "exec" && !networkOf(call).some(({ own }) => own)) this.#showing.add(key);
  }

  #isShown({ url, chosen }: Network): boolean {
    // The user's choice of host covers requests to the host, but an address can lead to a thread that anyone may have
    // written.
    return url === undefined ? chosen === true : this.shown.isShown(url);
  }
}

const networkOf = ({ access = [] }: JudgedCall): readonly Network[] =>
  access.filter((item): item is Network => item.kind === "network");
