// Calls that read the web: which of their addresses were shown, and what counts as shown because of their results.

import type { CallInfo, SeamContext } from "@lathe/agent";
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
  async prepare(call: JudgedCall, { journal }: SeamContext): Promise<void> {
    if (networkOf(call).length > 0) await this.shown.update(journal);
  }

  /**
   * At once after it was judged: calls of one answer are judged side by side. What a page shows counts only where the page itself was
   * shown, or a person is asked about it: a page whose address the model made up, and a server of the session, may list whatever the
   * model wants.
   */
  take(key: string, call: JudgedCall): void {
    const items = networkOf(call);
    if (items.every((item) => this.#isShown(item))) this.#show(key, call);
    for (const { url, kept, chosen } of items) if (url !== undefined && !kept && !chosen) this.shown.choose(url);
  }

  /** A person is asked about it; if they deny it, there is no result. */
  ask(key: string, call: JudgedCall): void {
    this.#show(key, call);
  }

  /** The result with the addresses that count as shown from now on; what the call itself named is not shown by its answer. */
  keepShown(key: string, { args }: CallInfo, result: ToolResult): ToolResult | undefined {
    const isShowing = this.#showing.delete(key);
    if (!result.fromWeb) return undefined;
    const named = JSON.stringify(args);
    const isNew = (link: string): boolean => !named.includes(link.replace(/^https?:\/\/|\/$/g, ""));
    const links = isShowing ? result.fromWeb.links.filter((link) => addressKey(link) === link && isNew(link)) : [];
    // Also those of a child, whose journal its parent does not look into.
    for (const link of links) this.shown.addLink(link);
    return { ...result, fromWeb: { ...result.fromWeb, links } };
  }

  #show(key: string, call: JudgedCall): void {
    if (call.tier !== "exec" && !networkOf(call).some(({ own }) => own)) this.#showing.add(key);
  }

  #isShown({ url, chosen }: Network): boolean {
    // A host that the user chose says who is asked, and its address what for: a thread that anyone may have written.
    return url === undefined ? chosen === true : this.shown.isShown(url);
  }
}

const networkOf = ({ access = [] }: JudgedCall): readonly Network[] =>
  access.filter((item): item is Network => item.kind === "network");
