// What extensions show at the terminal: dialogs as panels, lines above and below the composer, shortcuts, themes.

import {
  Bindings,
  BUILTIN_THEMES,
  type Editor,
  type KeyPress,
  type RenderContext,
  type Row,
  row,
  shorten,
  type Themes,
  visibleLine,
} from "@lathe/tui";
import type { ExtensionLines } from "../../platform/extension-api/index.ts";
import type { AddedToScreen, ExtensionConversation, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { EXIT } from "../../platform/usage/exit.ts";
import type { ScreenParts } from "./screen-parts.ts";

const MOST_WIDGET_ROWS = 10;
const STYLES = { info: "dim", warning: "yellow", error: "red" } as const;

export interface ExtensionTerminalParts {
  readonly screen: ScreenParts;
  readonly editor: Editor;
  readonly themes: Themes;
  /** Filled with the themes of extensions: JSON by name, in the format of theme files. */
  readonly extensionThemes: Map<string, string>;
}

export class TerminalForExtensions implements ExtensionScreen {
  readonly #screen: ScreenParts;
  readonly #editor: Editor;
  readonly #themes: Themes;
  readonly #extensionThemes: Map<string, string>;
  readonly #statuses = new Map<string, string>();
  readonly #widgets = new Map<string, ExtensionLines>();
  #shortcuts: AddedToScreen["shortcuts"] = [];
  #render: AddedToScreen["render"] = () => undefined;
  #keys = new Bindings([]);

  constructor({ screen, editor, themes, extensionThemes }: ExtensionTerminalParts) {
    this.#screen = screen;
    this.#editor = editor;
    this.#themes = themes;
    this.#extensionThemes = extensionThemes;
  }

  select: ExtensionScreen["select"] = (title, options, { signal } = {}) => {
    const items = options.map((option) => ({ value: option, label: visibleLine(option) }));
    return this.#screen.dialogs.choose({ title: visibleLine(title), items }, signal);
  };

  confirm: ExtensionScreen["confirm"] = async (title, message = "", { signal } = {}) => {
    const question = message === "" ? title : `${title}\n${message}`;
    const byAgent = this.#screen.link.controller?.isBusy ?? false;
    const by = { byAgent, yesOrNo: true, ...(signal ? { signal } : {}) };
    return (await this.#screen.dialogs.confirm(question, by)) === true;
  };

  input: ExtensionScreen["input"] = (title, placeholder = "", { signal } = {}) =>
    this.#screen.dialogs.ask(placeholder === "" ? title : `${title} (${placeholder})`, signal);

  editor: ExtensionScreen["editor"] = async (title, text = "") => {
    const { editText } = await import("./external-editor.ts");
    return editText(this.#screen, title, text);
  };

  notify: ExtensionScreen["notify"] = (message, kind = "info") =>
    this.#screen.scrollback.line(message, STYLES[kind] ?? "dim");

  setStatus: ExtensionScreen["setStatus"] = (key, text) => {
    if (text === undefined) this.#statuses.delete(key);
    else this.#statuses.set(key, visibleLine(String(text)));
    this.#screen.surface.screen.requestFrame();
  };

  setWidget: ExtensionScreen["setWidget"] = (key, lines) => {
    if (lines === undefined) this.#widgets.delete(key);
    else this.#widgets.set(key, lines);
    this.#screen.surface.screen.requestFrame();
  };

  setTitle: ExtensionScreen["setTitle"] = (title) => this.#screen.surface.terminal.setTitle(visibleLine(title));
  setTheme = (name: string): boolean => this.#themes.preview(name).success;

  setEditorText: ExtensionScreen["setEditorText"] = (text) => {
    this.#editor.text = text;
  };

  showLines = (lines: ExtensionLines): void => {
    for (const { text } of linesOf(lines)) this.#screen.scrollback.line(text);
  };

  conversation = (): ExtensionConversation | undefined => this.#screen.link.controller?.conversation;
  shutdown: ExtensionScreen["shutdown"] = () => this.#screen.leave(EXIT.done);

  entryLines = (kind: string, text: string): readonly string[] | undefined => {
    const lines = this.#render(kind, text);
    return lines === undefined ? undefined : linesOf(lines).map((line) => line.text);
  };

  applyAdded = ({ shortcuts, themes, render }: AddedToScreen): readonly string[] => {
    this.#render = render;
    const { bindings } = this.#screen;
    // Keys of lists and questions only work there, so they do not conflict. If two actions share a key, the first is
    // named.
    const own = bindings.actions.filter(({ context }) => context === "editor" || context === "app");
    const taken = new Map(own.reverse().flatMap(({ id }) => bindings.chords(id).map((chord) => [chord, id])));
    const problems: string[] = [];
    const usable = shortcuts.filter(({ key, extension }) => {
      const problem = problemWith(key, taken);
      if (problem !== undefined)
        problems.push(`The shortcut ${key} of the extension ${extension} is not used: ${problem}.`);
      return problem === undefined;
    });
    this.#shortcuts = usable;
    this.#keys = new Bindings(
      usable.map(({ key, description }) => ({ id: key, description, chords: [key], context: "app" })),
    );
    this.#extensionThemes.clear();
    const base = BUILTIN_THEMES[0]?.colors ?? {};
    for (const { name, colors, vars } of themes)
      this.#extensionThemes.set(name, JSON.stringify({ name, vars, colors: { ...base, ...colors } }));
    return problems;
  };

  /** Rows above the status line. */
  statusRows({ columns }: RenderContext): readonly Row[] {
    if (this.#statuses.size === 0) return [];
    return [row(shorten([...this.#statuses.values()].join(" · "), columns), { color: "muted" })];
  }

  /** Rows above the composer. */
  widgetRows({ columns }: RenderContext): readonly Row[] {
    const lines = [...this.#widgets.values()].flatMap(linesOf).slice(0, MOST_WIDGET_ROWS);
    return lines.map(({ text, style }) =>
      row(shorten(visibleLine(text), columns), style === undefined ? {} : { color: style }),
    );
  }

  /** Runs the extension's shortcut for the key, if there is one. */
  handleKey(key: KeyPress): boolean {
    const id = this.#keys.match(key, "app");
    const shortcut = this.#shortcuts.find((one) => one.key === id);
    shortcut?.run();
    return shortcut !== undefined;
  }
}

function problemWith(key: string, taken: ReadonlyMap<string, string>): string | undefined {
  const probe = new Bindings([{ id: "x", description: "", chords: [], context: "app" }], { x: key });
  if (probe.problems.length > 0) return "it is not a key";
  const owner = probe.chords("x").flatMap((chord) => taken.get(chord) ?? [])[0];
  return owner === undefined ? undefined : `the key already means ${owner}`;
}

function linesOf(lines: ExtensionLines): readonly { readonly text: string; readonly style?: string | undefined }[] {
  const list = typeof lines === "string" ? lines.split("\n") : lines;
  return list.map((line) =>
    typeof line === "string" ? { text: line } : { text: String(line.text), style: line.style },
  );
}
