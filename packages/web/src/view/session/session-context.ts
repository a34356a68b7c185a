// The session that a view belongs to: what is known of it, and what can be done with it.

import type { CommandData, CommandName, CommandParams, LatheClient } from "lathe/client";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ReadPictures } from "../../live/read-pictures.ts";

export interface SessionUse {
  readonly client: LatheClient;
  readonly id: string;
  /** The name that other clients know this one by. */
  readonly me: string;
  /** The folder that it works in, as soon as that is known. */
  readonly cwd: string | undefined;
  readonly mayPrompt: boolean;
  readonly mayAnswer: boolean;
  readonly picturesOf: ReadPictures;
  /** Puts a text into the composer, in place of what is there. */
  fillDraft(text: string): void;
  /** Runs a command and reads the state anew; undefined when it was refused, which the page then says. */
  command<K extends CommandName>(name: K, params?: CommandParams<K>): Promise<{ data: CommandData<K> } | undefined>;
  /** Shows what went wrong. */
  report(error: unknown): void;
  /** Says something to those who cannot see it. */
  announce(text: string): void;
  /** Which parts of the transcript are opened or closed against their default, by name. */
  readonly opened: Map<string, boolean>;
}

export const SessionContext = createContext<SessionUse | undefined>(undefined);

export function useSession(): SessionUse {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This view stands in no session.");
  return session;
}
