// The extensions of a run: loaded once per workspace, and kept while one session follows another in it.

import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { ExtensionHost } from "./host.ts";

interface SharedHost {
  readonly host: Promise<ExtensionHost>;
  sessions: number;
}

export class ExtensionHosts {
  /** Hosts by settings object, which a workspace keeps when folders are added to it. */
  readonly #loaded = new Map<SessionWorkspace["settings"], SharedHost>();

  /** Loads the extensions of a workspace, unless they are loaded already. */
  load(workspace: SessionWorkspace): Promise<ExtensionHost> {
    return this.#sharedHost(workspace).host;
  }

  /** Returns the extensions for one more session, which gives them back with `leave`. */
  enter(workspace: SessionWorkspace): Promise<ExtensionHost> {
    const shared = this.#sharedHost(workspace);
    shared.sessions++;
    return shared.host;
  }

  /** Whether at most one session uses the extensions of this workspace. */
  isLast({ settings }: SessionWorkspace): boolean {
    return (this.#loaded.get(settings)?.sessions ?? 0) <= 1;
  }

  async leave({ settings }: SessionWorkspace): Promise<void> {
    const shared = this.#loaded.get(settings);
    if (!shared) return;
    shared.sessions--;
    if (shared.sessions > 0) return;
    this.#loaded.delete(settings);
    await (await shared.host).close();
  }

  /** Ends extensions that were loaded but that no session has used. */
  async endUnused({ settings }: SessionWorkspace): Promise<void> {
    const shared = this.#loaded.get(settings);
    if (!shared || shared.sessions > 0) return;
    this.#loaded.delete(settings);
    await (await shared.host).close();
  }

  #sharedHost(workspace: SessionWorkspace): SharedHost {
    const { settings } = workspace;
    const shared = this.#loaded.get(settings) ?? {
      host: import("./host.ts").then(({ ExtensionHost }) => ExtensionHost.load(workspace)),
      sessions: 0,
    };
    this.#loaded.set(settings, shared);
    return shared;
  }
}
