// The session that extensions work in. Hosts provide it; this file knows no host.

import type { Session } from "@lathe/agent";

/** The current session. */
export interface PresentSession {
  readonly session: Session;
  readonly journal: { readonly path?: string | undefined };
  readonly model: { readonly provider: string; readonly id: string };
}
