// Colours and symbols as the settings want them, for the terminal as it is: dark or light, with many colours or none.

import { readdirSync, readFileSync, watch } from "node:fs";
import { appearance, colourMode, type SymbolPreset, type ThemeFiles, Themes, themeDirectory } from "@lathe/tui";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Surface } from "./surface.ts";

/** The colours of the surface from here on. `more` are themes of extensions as JSON, by name. */
export function openThemes(
  surface: Surface,
  { settings, paths, machine }: Workspace,
  more: ReadonlyMap<string, string>,
): Themes {
  const { env, deps } = machine;
  const themes = new Themes({
    files: withMore(themeDirectory(`${paths.home}/themes`, { readdirSync, readFileSync, watch }), more),
    clock: { setTimeout: deps.setTimer, clearTimeout: (timer) => (timer as { cancel(): void } | undefined)?.cancel() },
    mode: colourMode(env),
    appearance: appearance(undefined, env),
    dark: settings["theme.dark"],
    light: settings["theme.light"],
    colorBlind: settings.colorBlindMode,
    ...(settings.symbolPreset === "" ? {} : { symbols: settings.symbolPreset as SymbolPreset }),
    onChange: () => surface.screen.restyle(),
  });
  surface.restyle(themes);
  return themes;
}

/** Themes of extensions beside the person's own, which win. */
const withMore = (files: ThemeFiles, more: ReadonlyMap<string, string>): ThemeFiles => ({
  names: () => [...new Set([...files.names(), ...more.keys()])],
  read: (name) => files.read(name) ?? more.get(name),
  watch: (name, onChange) => files.watch(name, onChange),
});
