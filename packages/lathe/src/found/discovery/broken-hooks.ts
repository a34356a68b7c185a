// Hooks that can never run here. One that would refuse something must not be missing in silence.

import { isGuardEvent } from "./hook-events.ts";
import type { DiscoveryWarning, Found, HookValue } from "./types.ts";
import { warningLine } from "./warning-line.ts";

export interface BrokenHooks {
  /** Nothing is refused in their place. */
  readonly guards: readonly DiscoveryWarning[];
  readonly others: readonly DiscoveryWarning[];
}

/** What is ignored for another reason, such as trust, is not expected to run. */
export function brokenHooks(items: readonly Found[]): BrokenHooks {
  const broken = items.flatMap(({ kind, source, value, ignored }) => {
    const { event, problem } = value as HookValue;
    if (kind !== "hook" || problem === undefined || ignored !== problem) return [];
    const { path, line } = source;
    const warning = { path, message: `a hook of ${event} cannot run here: ${problem}` };
    return [{ event, warning: line === undefined ? warning : { ...warning, line } }];
  });
  const pick = (isGuard: boolean): readonly DiscoveryWarning[] =>
    broken.filter(({ event }) => isGuardEvent(event) === isGuard).map(({ warning }) => warning);
  return { guards: pick(true), others: pick(false) };
}

/** One line for the start of a session; undefined when every guard can run. */
export function brokenGuardsLine(items: readonly Found[]): string | undefined {
  const { guards } = brokenHooks(items);
  if (guards.length === 0) return undefined;
  return `Nothing is guarded by ${guards.length === 1 ? "this hook" : "these hooks"}: ${guards.map(warningLine).join(" ")} See: lathe discover hook`;
}
