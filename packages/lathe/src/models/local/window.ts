// Learns the window of a local server from its refusals.

import type { RequestInfo, SeamContext } from "@lathe/agent";
import type { ModelChoice, Models } from "../models.ts";

/** Does not make room in the context; other hooks do that. */
export async function noteOverflow(
  models: Models,
  { provider, id }: ModelChoice,
  { refusedWindow }: RequestInfo,
  context: SeamContext,
): Promise<undefined> {
  if (refusedWindow === undefined) return undefined;
  const { tokens, assumed, stated } = refusedWindow;
  const name = `${provider}/${id}`;
  const said = stated ? `has a window of ${tokens} tokens` : `refused a request of about ${tokens} tokens`;
  const configured = models.configuredWindow(provider, id);
  if (configured !== undefined) {
    const advice = stated ? `Set contextWindow to ${tokens}` : "Give it a smaller contextWindow";
    context.warn(
      `${name} ${said}, but models.yml says ${configured}. ${advice}; until then your value is used.`,
      "local_window",
    );
    return undefined;
  }
  await models.local.learn(name, { window: { tokens, assumed, stated } });
  context.warn(`${name} ${said}, not ${assumed} as assumed. Lathe remembers this.`, "local_window");
  return undefined;
}
