// Hooks and extensions that cannot run here. One that would refuse something must not be missing in silence.

import { isGuardEvent } from "./hook-events.ts";
import { missingProgram, type RunPlace } from "./missing-program.ts";
import { CHANGED, DISABLED, UNTRUSTED } from "./trusted-items.ts";
import type { DiscoveryWarning, Found, HookValue } from "./types.ts";
import { warningLine } from "./warning-line.ts";

export interface BrokenHooks {
  /** Nothing is refused in their place. */
  readonly guards: readonly DiscoveryWarning[];
  readonly others: readonly DiscoveryWarning[];
}

export function brokenHooks(items: readonly Found[], place: RunPlace): BrokenHooks {
  const broken = items.flatMap((item) => {
    const { kind, name, source, value } = item;
    const reason = whyBroken(item, place);
    if (reason === undefined) return [];
    const { event } = value as HookValue;
    const { path, line } = source;
    const what = kind === "hook" ? `a hook of ${event}` : `the extension ${name}`;
    const warning = { path, message: `${what} cannot run here: ${reason}` };
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

/** What is ignored for another reason, such as trust, is not expected to run. */
function whyBroken({ kind, value, ignored, shadowedBy }: Found, place: RunPlace): string | undefined {
  if (ignored !== undefined && NOT_EXPECTED.has(ignored)) return undefined;
  // What of its text cannot work is the only other reason why an extension is ignored.
  if (kind === "extension") return ignored;
  if (kind !== "hook" || shadowedBy) return undefined;
  const { command, problem, cwd = place.cwd } = value as HookValue;
  // It still runs: what is missing may be there by then.
  return problem ?? (command === undefined ? undefined : missingProgram(command, { ...place, cwd }));
}

const NOT_EXPECTED: ReadonlySet<string> = new Set([UNTRUSTED, CHANGED, DISABLED]);

/** One line for the start of a session; undefined when every guard can run. */
export function brokenGuardsLine(items: readonly Found[], place: RunPlace): string | undefined {
  const { guards } = brokenHooks(items, place);
  if (guards.length === 0) return undefined;
  return `Nothing is guarded by ${guards.length === 1 ? "this" : "these"}: ${guards.map(warningLine).join(" ")} See: lathe discover`;
}
