// Commands that only a screen has.

import { sentence } from "@lathe/agent/base";
import { type Themes, visible, wrap } from "@lathe/tui";
import { writeSetting } from "../../config/settings/write.ts";
import { chooseFrom } from "../../conversation/commands/choice.ts";
import { type CommandRegistry, commandHelp, type SlashCommand } from "../../conversation/commands/command.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { listing, type Named } from "../../sessions/tables/listing.ts";
import { ALL_ACTIONS } from "./actions.ts";
import type { ScreenParts } from "./screen-parts.ts";

export function addHostCommands(registry: CommandRegistry, screen: ScreenParts, themes: Themes): void {
  registry.add(themeCommand(themes));
  registry.add(hotkeysCommand(screen));
  registry.add(helpCommand(registry));
}

const themeCommand = (themes: Themes): SlashCommand => ({
  name: "theme",
  arguments: "[name]",
  description: "show or change the colours",
  whileWorking: true,
  complete: (_conversation, typed) => themes.names().filter((name) => name.startsWith(typed)),
  run: async ({ workspace }, wanted, view) => {
    const names = themes.names();
    const items = names.map((name) => ({ value: name, label: name }));
    const previewTheme = (name: string | undefined): void => {
      if (name === undefined) themes.cancelPreview();
      else themes.preview(name);
    };
    const current = names.indexOf(themes.current.name);
    const name =
      wanted === "" ? await chooseFrom(view, { title: "Theme", items, current, onMove: previewTheme }) : wanted;
    if (name === undefined) return;
    const result = names.includes(name)
      ? themes.select(name)
      : { success: false as const, error: `Theme not found: ${name}` };
    if (!result.success) throw usageError(`${sentence(result.error)} See /theme.`);
    await writeSetting(workspace.paths.config, themes.appearance === "dark" ? "theme.dark" : "theme.light", name);
    view.line(`Theme: ${name}, for ${themes.appearance} terminals.`, "dim");
  },
});

const hotkeysCommand = ({ bindings, fullScreens }: ScreenParts): SlashCommand => ({
  name: "hotkeys",
  description: "show what the keys do",
  whileWorking: true,
  run: () => {
    const keys = ALL_ACTIONS.map(
      ({ id, description }): Named => [bindings.chords(id).join(" ") || "–", `${description} (${id})`],
    );
    const conflicts = bindings
      .conflicts()
      .map(
        ({ chord, actions, context }) => `${chord} (${context}) means ${actions.join(" and ")}: the first one wins.`,
      );
    const textAt = (columns: number): string => [listing(keys, columns), ...conflicts, ...bindings.problems].join("\n");
    fullScreens.view("Keys: change them in keybindings.json", (columns) =>
      wrap([{ text: visible(textAt(columns)) }], columns),
    );
  },
});

const INTRODUCTION = `Type a request and press Enter. While the agent works, Enter steers it, Alt+Enter queues a message, Esc stops it.
@ attaches a file, ! runs a shell command, / starts a Lathe command. Ctrl+C twice quits. All keys: ?
`;

const helpCommand = (registry: CommandRegistry): SlashCommand => ({
  name: "help",
  description: "show this list",
  whileWorking: true,
  run: (_conversation, _argument, view) => view.line(`${INTRODUCTION}\n${commandHelp(registry.list(), view.columns)}`),
});
