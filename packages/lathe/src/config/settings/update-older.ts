// Converts settings from older files to today's names and units (CF-02).

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILTIN_THEMES, isLightTheme, parseTheme } from "@lathe/tui";

type Values = Readonly<Record<string, unknown>>;

/** A larger timeout in seconds was meant as milliseconds. */
const LONGEST_SECONDS = 1_000;

/** `themes` is the user's folder of themes. */
export function updateOlder(older: Values, themes: string): Values {
  const { queueMode, theme, ask, ...rest } = older;
  return {
    ...(queueMode === undefined ? {} : { steeringMode: queueMode }),
    ...rest,
    ...(theme === undefined ? {} : { theme: typeof theme === "string" ? slotOf(theme, themes) : theme }),
    ...(ask === undefined ? {} : { ask: inSeconds(ask) }),
  };
}

/** Turns one theme for all terminals into the theme for the kind of terminal it was made for. */
function slotOf(name: string, themes: string): Values {
  const file = join(themes, `${name}.json`);
  const builtin = BUILTIN_THEMES.find((one) => one.name === name);
  const found = builtin ?? (existsSync(file) ? parseTheme(readFileSync(file, "utf8"), name) : undefined);
  return { [found && isLightTheme(found) ? "light" : "dark"]: name };
}

function inSeconds(ask: unknown): unknown {
  const timeout = (ask as Values | null)?.["timeout"];
  if (typeof timeout !== "number" || timeout <= LONGEST_SECONDS) return ask;
  return { ...(ask as Values), timeout: Math.round(timeout / 1_000) };
}
