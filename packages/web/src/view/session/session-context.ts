// The session that a view belongs to: what is known about it, and what can be done with it.

import type { CommandData, CommandName, CommandParams, LatheClient } from "lathe/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ReadPictures } from "../../live/read-pictures.ts";

export interface SessionUse {
  readonly client: LatheClient;
  readonly id: string;
  /** The name by which other clients know this one. */
  readonly me: string;
  /** The session's folder, once it is known. */
  readonly cwd: string | undefined;
  readonly mayPrompt: boolean;
  readonly mayAnswer: boolean;
  readonly picturesOf: ReadPictures;
  /** Replaces the composer's text. */
  fillDraft(text: string): void;
  /** Runs a command and reads the state again; undefined if it was refused, which the page then reports. */
  command<K extends CommandName>(name: K, params?: CommandParams<K>): Promise<{ data: CommandData<K> } | undefined>;
  /** Shows an error. */
  report(error: unknown): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** Parts of the transcript that the user has opened or closed against their default, by name. */
  readonly opened: Map<string, boolean>;
}

export const SessionContext = createContext<SessionUse | undefined>(undefined);

export function useSession(): SessionUse {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This view is outside a session.");
  return session;
}
