// A parsed theme file: all tokens exist, every value is a colour, and references to `vars` are resolved.

import { isHex } from "./palette.ts";
import type { SymbolPreset, SymbolsChoice } from "./symbol-sets.ts";
import { TOKEN_GROUPS, type Token } from "./tokens.ts";

/** `#rrggbb`, a palette index, or "" for the terminal's default colour. */
export type ThemeColour = string | number;

export interface ThemeDefinition {
  readonly name: string;
  readonly colors: Readonly<Record<Token, ThemeColour>>;
  /** Colours of exported pages. */
  readonly export?: { readonly pageBg?: ThemeColour; readonly cardBg?: ThemeColour; readonly infoBg?: ThemeColour };
  readonly symbols?: SymbolsChoice;
}

export class ThemeError extends Error {}

const PRESETS: readonly SymbolPreset[] = ["unicode", "nerd", "ascii"];
const EXPORT_KEYS = ["pageBg", "cardBg", "infoBg"] as const;
type Json = Readonly<Record<string, unknown>>;

/** `name` is the name that was asked for; the file must have its own, but it is not used. */
export function parseTheme(json: string, name: string): ThemeDefinition {
  const fail = (problem: string): never => {
    throw new ThemeError(`Theme ${name}: ${problem}`);
  };
  const file = parseObject(json, fail);
  if (typeof file["name"] !== "string" || file["name"] === "") fail("`name` must be a text.");
  const colors = objectAt(file, "colors", fail) ?? fail("`colors` is missing.");
  const vars = objectAt(file, "vars", fail) ?? {};
  refuseMissing(colors, fail);
  const resolve = (value: unknown, path: string): ThemeColour => resolveColour(value, path, vars, fail, []);
  const tokens = Object.values(TOKEN_GROUPS).flat();
  const entries = tokens.map((token) => [token, resolve(colors[token], `colors.${token}`)]);
  const page = objectAt(file, "export", fail);
  const exported = EXPORT_KEYS.filter((key) => page?.[key] !== undefined);
  const symbols = objectAt(file, "symbols", fail);
  return {
    name,
    colors: Object.fromEntries(entries) as ThemeDefinition["colors"],
    ...(page === undefined
      ? {}
      : { export: Object.fromEntries(exported.map((key) => [key, resolve(page[key], `export.${key}`)])) }),
    ...(symbols === undefined ? {} : { symbols: symbolsOf(symbols, fail) }),
  };
}

type Fail = (problem: string) => never;

function parseObject(json: string, fail: Fail): Json {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : fail("the file must hold a JSON object.");
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`the file is not valid JSON (${error.message}).`);
    throw error;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectAt(file: Json, key: string, fail: Fail): Json | undefined {
  const value = file[key];
  if (value === undefined) return undefined;
  return isObject(value) ? value : fail(`\`${key}\` must be an object.`);
}

function refuseMissing(colors: Json, fail: Fail): void {
  const groups = Object.entries(TOKEN_GROUPS).map(([group, tokens]) => ({
    group,
    missing: tokens.filter((token) => colors[token] === undefined),
  }));
  const named = groups
    .filter(({ missing }) => missing.length > 0)
    .map(({ group, missing }) => `${missing.map((token) => `colors.${token}`).join(", ")} (${group})`);
  if (named.length > 0) fail(`these colors are missing: ${named.join("; ")}. Add them to the file.`);
}

function resolveColour(value: unknown, path: string, vars: Json, fail: Fail, seen: readonly string[]): ThemeColour {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255) return value;
  if (typeof value === "string" && (value === "" || isHex(value))) return value;
  if (typeof value !== "string" || value.startsWith("#")) {
    return fail(
      `${path} is ${JSON.stringify(value)}. It must be "#rrggbb", a number from 0 to 255, the name of a var, or "".`,
    );
  }
  if (seen.includes(value))
    return fail(`${path}: vars refer to each other in a circle: ${[...seen, value].join(" -> ")}.`);
  if (!Object.hasOwn(vars, value))
    return fail(`${path} refers to the var ${JSON.stringify(value)}, which does not exist.`);
  return resolveColour(vars[value], path, vars, fail, [...seen, value]);
}

function symbolsOf(symbols: Json, fail: Fail): SymbolsChoice {
  const { preset, spinnerFrames } = symbols;
  if (preset !== undefined && !PRESETS.includes(preset as SymbolPreset)) {
    fail(`symbols.preset is ${JSON.stringify(preset)}. It must be one of ${PRESETS.join(", ")}.`);
  }
  const overrides = Object.entries(objectAt(symbols, "overrides", fail) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const frames = isObject(spinnerFrames) ? spinnerFrames["status"] : spinnerFrames;
  if (frames !== undefined && !(Array.isArray(frames) && frames.every((frame) => typeof frame === "string"))) {
    fail("symbols.spinnerFrames must be a list of texts.");
  }
  return {
    ...(preset === undefined ? {} : { preset: preset as SymbolPreset }),
    overrides: Object.fromEntries(overrides),
    ...(frames === undefined ? {} : { spinnerFrames: frames as string[] }),
  };
}
