// What extensions are given of the conversation they are in. Hosts bring the real ones; nothing here knows a host.

import type { CompactionEntry, InputOutcome, Navigation, Session } from "@lathe/agent";

/** The session that is present. */
export interface PresentSession {
  readonly session: Session;
  readonly journal: { readonly path?: string | undefined };
  readonly model: { readonly provider: string; readonly id: string };
}

/** The conversation, for commands. */
export interface PresentConversation {
  readonly open: PresentSession;
  readonly isBusy: boolean;
  submit(text: string): Promise<InputOutcome>;
  settled(): Promise<void>;
  startNew(): Promise<{ readonly cancelled?: string }>;
  branch(entryId: string): Promise<{ readonly cancelled?: string }>;
  navigate(entryId: string | null, options?: { readonly summarize?: boolean }): Promise<Navigation>;
  compact(focus?: string): Promise<CompactionEntry | { readonly problem: string }>;
  switchModel(selector: string): Promise<unknown>;
}
