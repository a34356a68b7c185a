// The result of a read command, requested again when the session may have changed.

import type { CommandData, CommandName, CommandParams } from "lathe/client";
import { type Asked, useAnswer } from "../../base/use-answer.ts";
import type { SessionView } from "../../state/session.ts";
import { useSession } from "../session/session-context.ts";

export function useCommand<K extends CommandName>(
  view: SessionView,
  name: K,
  params?: CommandParams<K>,
): Asked<CommandData<K>> {
  const { client, id } = useSession();
  return useAnswer(() => client.command(id, name, params), [client, id, name, JSON.stringify(params), view.revision]);
}
