// Turns discovered hooks into hooks that can run. `lathe discover` lists those that cannot run here.

import { dialectOf } from "../../config/tool-names/foreign-calls.ts";
import type { Dialect } from "../../config/tool-names/tool-names.ts";
import { type CallSort, type HookEvent, hookEvent } from "../../found/discovery/hook-events.ts";
import { type Matcher, matcherOf, searchOf } from "../../found/discovery/hook-matcher.ts";
import type { Found, HookValue } from "../../found/discovery/types.ts";

/** The timeout of a hook that names none. */
const TIMEOUT_MS = 60_000;

export interface CommandHook {
  readonly event: HookEvent;
  /** The event's name in the hook's file. */
  readonly writtenEvent: string;
  /** The hook only gets calls of this sort. */
  readonly only?: CallSort;
  readonly matches: Matcher;
  readonly command: string;
  readonly timeoutMs: number;
  /** The agent that the hook was written for. */
  readonly dialect: Dialect;
  /** The name in messages. */
  readonly name: string;
  /** The folder of the plugin that brings the hook. */
  readonly root?: string;
  /** The folder in which it runs; the project's if absent. */
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
