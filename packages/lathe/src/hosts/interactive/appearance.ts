// Colours and symbols as the settings want them, for the terminal as it is: dark or light, with many colours or none.

import { readdirSync, readFileSync, watch } from "node:fs";
import { sentence } from "@lathe/agent/base";
import { appearance, colourMode, type SymbolPreset, type ThemeFiles, Themes, themeDirectory } from "@lathe/tui";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { ScreenView } from "./screen-view.ts";

/** The view's colours from here on. What is wrong with theme files is said. */
export function dressed(view: ScreenView, { settings, paths }: Workspace, more: ReadonlyMap<string, string>): Themes {
  const { env, deps } = view.machine;
  const themes = new Themes({
    files: withMore(themeDirectory(`${paths.home}/themes`, { readdirSync, readFileSync, watch }), more),
    clock: { setTimeout: deps.setTimer, clearTimeout: (timer) => (timer as { cancel(): void } | undefined)?.cancel() },
    mode: colourMode(env),
    appearance: appearance(undefined, env),
    dark: settings["theme.dark"],
    light: settings["theme.light"],
    colorBlind: settings.colorBlindMode,
    ...(settings.symbolPreset === "" ? {} : { symbols: settings.symbolPreset as SymbolPreset }),
    onChange: () => view.screen.restyled(),
  });
  view.colours = themes;
  view.editor.prompt = [{ text: `${themes.symbols.prompt} `, style: { color: "accent" } }];
  view.onReply = (reply) => {
    if (reply.kind === "background" || reply.kind === "appearance") themes.setAppearance(appearance(reply, env));
  };
  for (const problem of themes.startProblems) view.line(`${sentence(problem)} See /theme.`, "yellow");
  view.screen.restyled();
  return themes;
}

/** Themes of extensions beside the person's own, which win. */
const withMore = (files: ThemeFiles, more: ReadonlyMap<string, string>): ThemeFiles => ({
  names: () => [...new Set([...files.names(), ...more.keys()])],
  read: (name) => files.read(name) ?? more.get(name),
  watch: (name, onChange) => files.watch(name, onChange),
});
