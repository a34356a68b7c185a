// Hooks and extensions that cannot run here. A hook that guards something must not be missing silently.

import { isGuardEvent } from "./hook-events.ts";
import { missingProgram, type RunPlace } from "./missing-program.ts";
import { CHANGED, DISABLED, UNTRUSTED } from "./trusted-items.ts";
import type { DiscoveryWarning, Found, HookValue } from "./types.ts";
import { warningLine } from "./warning-line.ts";

export interface BrokenHooks {
  /** Guards that cannot run, so nothing is refused in their place. */
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

/** Items ignored for another reason, such as trust, are not expected to run. */
function whyBroken({ kind, value, ignored, shadowedBy }: Found, place: RunPlace): string | undefined {
  if (ignored !== undefined && NOT_EXPECTED.has(ignored)) return undefined;
  // Apart from trust, an extension is only ignored if its code cannot work.
  if (kind === "extension") return ignored;
  if (kind !== "hook" || shadowedBy) return undefined;
  const { command, problem, cwd = place.cwd } = value as HookValue;
  // The hook stays active: the missing file may exist by the time it runs.
  return problem ?? (command === undefined ? undefined : missingProgram(command, { ...place, cwd }));
}

const NOT_EXPECTED: ReadonlySet<string> = new Set([UNTRUSTED, CHANGED, DISABLED]);

/** One line for the start of a session; undefined if every guard can run. */
export function brokenGuardsLine(items: readonly Found[], place: RunPlace): string | undefined {
  const { guards } = brokenHooks(items, place);
  if (guards.length === 0) return undefined;
  return `Nothing is guarded by ${guards.length === 1 ? "this" : "these"}: ${guards.map(warningLine).join(" ")} See: lathe discover`;
}
