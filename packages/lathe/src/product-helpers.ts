// What else programs need from the product: settings, models, discovered files, tools, themes, and the command with all
// its modes.

import type { DiscoveredItem, PlaceOptions, ThemeColours, ToolRow } from "./hosts/library/types.ts";
import type { ModelRow } from "./hosts/rpc/commands.ts";
import { loadProduct } from "./load-product.ts";

const library = async () => (await loadProduct()).library();

/** The settings that take effect in a directory: the user's, those of a trusted project, and the defaults. */
export const readSettings = async (place: PlaceOptions = {}): Promise<Readonly<Record<string, unknown>>> =>
  (await library()).readSettings(place);

/** The models that can be used with the credentials available in a directory. */
export const availableModels = async (place: PlaceOptions = {}): Promise<readonly ModelRow[]> =>
  (await library()).availableModels(place);

/** The skills, rules, agents, commands, servers and so on of a directory, including those that take no effect. */
export const discoverFiles = async (place: PlaceOptions = {}): Promise<readonly DiscoveredItem[]> =>
  (await library()).discoverFiles(place);

/** The built-in tools. */
export const builtinTools = async (): Promise<readonly ToolRow[]> => (await library()).builtinTools();

/** The built-in themes. */
export const builtinThemes = async (): Promise<readonly ThemeColours[]> => (await library()).builtinThemes();

/** Reads a theme from the text of its file; throws an error that says what is wrong with it. */
export const readTheme = async (json: string, name: string): Promise<ThemeColours> =>
  (await library()).readTheme(json, name);

/**
 * Runs the command in this process, in any of its modes, with the arguments of a command line; resolves with its exit
 * code. A mode that ends with its input, such as RPC, ends the process.
 */
export async function main(args: readonly string[] = process.argv.slice(2)): Promise<number> {
  const { runCommand, machineOfProcess } = await loadProduct();
  return runCommand(args, machineOfProcess());
}
