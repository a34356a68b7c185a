// What was found, as hooks that can be run. Those that cannot run here are listed by `lathe discover`.

import { dialectOf } from "../../config/tool-names/foreign-calls.ts";
import type { Dialect } from "../../config/tool-names/tool-names.ts";
import { type CallSort, type HookEvent, hookEvent } from "../../found/discovery/hook-events.ts";
import { type Matcher, matcherOf, searchOf } from "../../found/discovery/hook-matcher.ts";
import type { Found, HookValue } from "../../found/discovery/types.ts";

/** Of a hook that names no other. */
const TIMEOUT_MS = 60_000;

export interface CommandHook {
  readonly event: HookEvent;
  /** As its file names the event. */
  readonly writtenEvent: string;
  /** It hears of such calls only. */
  readonly only?: CallSort;
  readonly matches: Matcher;
  readonly command: string;
  readonly timeoutMs: number;
  /** The agent that it was written for. */
  readonly dialect: Dialect;
  /** For messages. */
  readonly name: string;
  /** Folder of the plugin that brings it. */
  readonly root?: string;
  /** Where it runs; the project's folder when absent. */
  readonly cwd?: string;
  readonly runsAsync: boolean;
  readonly failsClosed: boolean;
}

export function readHooks(found: readonly Found<HookValue>[]): readonly CommandHook[] {
  return found.flatMap(({ source, value }): CommandHook[] => {
    const meaning = hookEvent(value.event);
    if (value.type !== "command" || value.command === undefined || !meaning) return [];
    const { root, cwd, matcher, runsAsync = false, failsClosed = false } = value;
    return [
      {
        ...meaning,
        writtenEvent: value.event,
        matches: meaning.only === undefined ? matcherOf(matcher) : searchOf(matcher),
        command: value.command,
        timeoutMs: value.timeoutMs ?? TIMEOUT_MS,
        dialect: dialectOf(source.provider),
        name: `${value.event} of ${source.path}`,
        ...(root === undefined ? {} : { root }),
        ...(cwd === undefined ? {} : { cwd }),
        runsAsync,
        failsClosed,
      },
    ];
  });
}
