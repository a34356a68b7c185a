// The session that extensions work in. Hosts bring the real one; nothing here knows a host.

import type { Session } from "@lathe/agent";

/** The session that is present. */
export interface PresentSession {
  readonly session: Session;
  readonly journal: { readonly path?: string | undefined };
  readonly model: { readonly provider: string; readonly id: string };
}
