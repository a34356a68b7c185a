// The theme in use: selected by name, previewed, switched with the terminal's background, and reloaded when its file
// changes. A screen can use it like a theme: it always delegates to the current one.

import type { Style } from "../rows/row.ts";
import { BUILTIN_THEMES, DARK_THEME } from "./builtin.ts";
import { forColorBlind } from "./color-blind.ts";
import { parseTheme, type ThemeDefinition, ThemeError } from "./definition.ts";
import type { Appearance, ColourMode } from "./mode.ts";
import type { SymbolPreset } from "./symbol-sets.ts";
import type { Symbols } from "./symbols.ts";
import { Theme } from "./theme.ts";
import type { ThemeFiles } from "./theme-files.ts";

export interface ThemeClock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface ThemesOptions {
  readonly files: ThemeFiles;
  readonly clock: ThemeClock;
  readonly mode: ColourMode;
  readonly appearance: Appearance;
  /** Names of the themes for dark and light terminals. */
  readonly dark?: string;
  readonly light?: string;
  readonly symbols?: SymbolPreset;
  readonly colorBlind?: boolean;
  /** Called when everything on the screen must be redrawn. */
  readonly onChange: () => void;
}

export type ThemeResult = { readonly success: true } | { readonly success: false; readonly error: string };

/** An editor writes a file in several steps. */
const SETTLE_MS = 100;
const DONE: ThemeResult = { success: true };

export class Themes {
  readonly #options: ThemesOptions;
  readonly #slots: Record<Appearance, string>;
  #appearance: Appearance;
  #chosen: Theme;
  #previewed: Theme | undefined;
  #unwatch: () => void = () => {};
  #timer: unknown;
  /** Why the configured theme is not in use, and what is wrong with other theme files. */
  readonly startProblems: readonly string[];

  constructor(options: ThemesOptions) {
    this.#options = options;
    this.#slots = { dark: options.dark ?? "dark", light: options.light ?? "light" };
    this.#appearance = options.appearance;
    this.#chosen = this.#makeTheme(DARK_THEME);
    const result = this.#use(this.#slots[this.#appearance]);
    const results = [result, ...this.#others().map((name) => this.#checkTheme(name))];
    this.startProblems = results.flatMap((one) => (one.success ? [] : [one.error]));
  }

  get current(): Theme {
    return this.#previewed ?? this.#chosen;
  }

  get symbols(): Symbols {
    return this.current.symbols;
  }

  get appearance(): Appearance {
    return this.#appearance;
  }

  sgr(style: Style): string {
    return this.current.sgr(style);
  }

  /** Built-in themes first, then the user's own. A file with a built-in name is never used, so it is not listed. */
  names(): readonly string[] {
    const own = this.#options.files.names().filter((name) => builtin(name) === undefined);
    return [...BUILTIN_THEMES.map(({ name }) => name), ...own.sort()];
  }

  /** Selects a theme for the current kind of background. On failure, the built-in dark theme is used. */
  select(name: string): ThemeResult {
    this.#previewed = undefined;
    this.#slots[this.#appearance] = name;
    const result = this.#use(name);
    this.#options.onChange();
    return result;
  }

  /** Shows a theme until `cancelPreview` or `select`. On failure, nothing changes. */
  preview(name: string): ThemeResult {
    const result = this.#load(name);
    if (!(result instanceof Theme)) return result;
    this.#previewed = result;
    this.#options.onChange();
    return DONE;
  }

  cancelPreview(): void {
    if (this.#previewed === undefined) return;
    this.#previewed = undefined;
    this.#options.onChange();
  }

  /** The terminal's background is known now, or has changed. */
  setAppearance(appearance: Appearance): void {
    if (appearance === this.#appearance) return;
    this.#appearance = appearance;
    this.#use(this.#slots[appearance]);
    this.#options.onChange();
  }

  close(): void {
    this.#unwatch();
    this.#unwatch = () => {};
    this.#options.clock.clearTimeout(this.#timer);
  }

  #use(name: string): ThemeResult {
    const loaded = this.#load(name);
    this.close();
    this.#chosen = loaded instanceof Theme ? loaded : this.#makeTheme(DARK_THEME);
    if (builtin(name) === undefined && loaded instanceof Theme) {
      this.#unwatch = this.#options.files.watch(name, () => this.#reloadSoon(name));
    }
    return loaded instanceof Theme ? DONE : loaded;
  }

  #reloadSoon(name: string): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = this.#options.clock.setTimeout(() => {
      const loaded = this.#load(name);
      // The file is half-written or briefly missing: keep the last good theme; the next change tries again.
      if (!(loaded instanceof Theme)) return;
      this.#chosen = loaded;
      this.#options.onChange();
    }, SETTLE_MS);
  }

  /**
   * The user's own themes besides the current one. If listing them fails, we still start; `/theme` shows the reason.
   */
  #others(): readonly string[] {
    try {
      const used = this.#slots[this.#appearance];
      return this.#options.files.names().filter((name) => name !== used && builtin(name) === undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return [];
    }
  }

  #checkTheme(name: string): ThemeResult {
    const loaded = this.#load(name);
    return loaded instanceof Theme ? DONE : loaded;
  }

  #load(name: string): Theme | { readonly success: false; readonly error: string } {
    const ours = builtin(name);
    if (ours !== undefined) return this.#makeTheme(ours);
    try {
      const text = this.#options.files.read(name);
      return text === undefined
        ? { success: false, error: `Theme not found: ${name}` }
        : this.#makeTheme(parseTheme(text, name));
    } catch (error) {
      if (error instanceof ThemeError) return { success: false, error: error.message };
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { success: false, error: `Theme ${name} cannot be read: ${message}` };
    }
  }

  #makeTheme(definition: ThemeDefinition): Theme {
    const { colorBlind = false, mode, symbols } = this.#options;
    return new Theme(colorBlind ? forColorBlind(definition) : definition, mode, symbols);
  }
}

const builtin = (name: string): ThemeDefinition | undefined => BUILTIN_THEMES.find((theme) => theme.name === name);
