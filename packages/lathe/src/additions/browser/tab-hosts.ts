// The hosts that one tab may reach: those that it was opened for, those that its first load used, servers of the
// session, and those that the user's rules allow. So a script that runs later cannot send anything to a host that the
// page did not need.

import { placeOf } from "./tab-proxy.ts";

export interface HostJudge {
  /** The host is the loopback, whatever name it goes by. */
  isLoopback(host: string): Promise<boolean>;
  /** A process of the session serves this port. */
  isOwn(host: string, port: number): Promise<boolean>;
  /** The user's rules or mode allow this host. */
  isAllowed(host: string): boolean;
  /** The session was shown exactly this address. */
  isShown(url: string): boolean;
}

export class TabHosts {
  readonly #judge: HostJudge;
  readonly #known = new Set<string>();
  #isFirstLoad = false;
  #isUntouched = true;
  #isOfWeb = false;

  constructor(judge: HostJudge) {
    this.#judge = judge;
  }

  has(url: URL): boolean {
    return this.#known.has(placeOfUrl(url));
  }

  get places(): readonly string[] {
    return [...this.#known];
  }

  /** No page was loaded into the tab, and no script ran on it. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Notes that a script may have left something in the tab that runs in the next page. */
  touch(): void {
    this.#isUntouched = false;
  }

  /**
   * Opens the tab for this address. A page of another host may load from anywhere, once: a person was asked about the
   * address, or the session was shown it. Two kinds of pages may not (decision 0381). A page of the session's own
   * server was opened without a question, and the agent may have written it. If a rule allows the host, the agent may
   * have made up the address, and the page may go wherever the address says. A page that is loaded into a used tab may
   * not either: an earlier page or a script may have left data of the session there for this page to carry away.
   */
  async begin(url: URL): Promise<void> {
    const isFirst = this.#isUntouched;
    this.touch();
    this.#known.add(placeOfUrl(url));
    const host = hostOf(url);
    this.#isOfWeb ||= !(await this.#judge.isLoopback(host));
    const isOwn = await this.#judge.isOwn(host, portOf(url));
    // Shown addresses are compared without what follows the #, but scripts of the page can read it.
    const isShown = url.hash === "" && this.#judge.isShown(url.href);
    this.#isFirstLoad = isFirst && !isOwn && (!this.#judge.isAllowed(host) || isShown);
  }

  endFirstLoad(): void {
    this.#isFirstLoad = false;
  }

  /** Why the tab may not reach this host; undefined if it may. */
  async refuse(host: string, port: number): Promise<string | undefined> {
    const place = placeOf(host, port);
    if (this.#known.has(place) || (await this.#judge.isOwn(host, port))) return undefined;
    // A rule of the user may open a port of another program on the loopback, but never for pages of the web.
    const isLoopback = await this.#judge.isLoopback(host);
    if (!(isLoopback && this.#isOfWeb) && this.#judge.isAllowed(host)) return undefined;
    if (!isLoopback && this.#isFirstLoad) {
      this.#known.add(place);
      return undefined;
    }
    return "the tab was not opened for this host. To allow it, open its address in a tab, or the user adds a rule for it";
  }
}

export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);

export const placeOfUrl = (url: URL): string => placeOf(hostOf(url), portOf(url));

/** The host and port of a place. */
export function serverOf(place: string): { readonly host: string; readonly port: number } {
  const url = new URL(`http://${place}`);
  return { host: hostOf(url), port: portOf(url) };
}
