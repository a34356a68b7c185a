// Colours and symbols from the settings and the terminal: dark or light, with many colours or none.

import { readdirSync, readFileSync, watch } from "node:fs";
import { appearance, colourMode, type SymbolPreset, type ThemeFiles, Themes, themeDirectory } from "@lathe/tui";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Surface } from "./surface.ts";

/** Opens the themes of the surface. `more` are themes of extensions as JSON, by name. */
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

/** Adds extensions' themes to the user's own, which win. */
const withMore = (files: ThemeFiles, more: ReadonlyMap<string, string>): ThemeFiles => ({
  names: () => [...new Set([...files.names(), ...more.keys()])],
  read: (name) => files.read(name) ?? more.get(name),
  watch: (name, onChange) => files.watch(name, onChange),
});
