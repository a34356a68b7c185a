// Hooks and extensions that can never run here. One that would refuse something must not be missing in silence.

import { isGuardEvent } from "./hook-events.ts";
import { CHANGED, DISABLED, UNTRUSTED } from "./trusted-items.ts";
import type { DiscoveryWarning, Found, HookValue } from "./types.ts";
import { warningLine } from "./warning-line.ts";

export interface BrokenHooks {
  /** Nothing is refused in their place. */
  readonly guards: readonly DiscoveryWarning[];
  readonly others: readonly DiscoveryWarning[];
}

/** What is ignored for another reason, such as trust, is not expected to run. */
export function brokenHooks(items: readonly Found[]): BrokenHooks {
  const broken = items.flatMap(({ kind, name, source, value, ignored }) => {
    if (ignored === undefined || NOT_EXPECTED.has(ignored)) return [];
    const { event, problem } = value as HookValue;
    // What of its text cannot work is the only other reason why an extension is ignored.
    const isBroken = kind === "extension" || (kind === "hook" && ignored === problem);
    if (!isBroken) return [];
    const { path, line } = source;
    const what = kind === "hook" ? `a hook of ${event}` : `the extension ${name}`;
    const warning = { path, message: `${what} cannot run here: ${ignored}` };
    return [
      {
        isGuard: kind === "extension" || isGuardEvent(event),
        warning: line === undefined ? warning : { ...warning, line },
      },
    ];
  });
  const pick = (isGuard: boolean): readonly DiscoveryWarning[] =>
    broken.filter((one) => one.isGuard === isGuard).map(({ warning }) => warning);
  return { guards: pick(true), others: pick(false) };
}

const NOT_EXPECTED: ReadonlySet<string> = new Set([UNTRUSTED, CHANGED, DISABLED]);

/** One line for the start of a session; undefined when every guard can run. */
export function brokenGuardsLine(items: readonly Found[]): string | undefined {
  const { guards } = brokenHooks(items);
  if (guards.length === 0) return undefined;
  return `Nothing is guarded by ${guards.length === 1 ? "this" : "these"}: ${guards.map(warningLine).join(" ")} See: lathe discover`;
}
