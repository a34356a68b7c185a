// What extensions show at the terminal: dialogs as panels, lines above the composer and below it, keys, colours.

import {
  Bindings,
  BUILTIN_THEMES,
  type KeyPress,
  type RenderContext,
  type Row,
  row,
  shorten,
  visibleLine,
} from "@lathe/tui";
import type { ExtensionLines } from "../../platform/extension-api/index.ts";
import type { AddedToScreen, ExtensionConversation, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { EXIT } from "../../platform/usage/exit.ts";
import type { ScreenView } from "./screen-view.ts";

const MOST_WIDGET_ROWS = 10;
const STYLES = { info: "dim", warning: "yellow", error: "red" } as const;

export class TerminalForExtensions implements ExtensionScreen {
  readonly #view: ScreenView;
  readonly #statuses = new Map<string, string>();
  readonly #widgets = new Map<string, ExtensionLines>();
  #shortcuts: AddedToScreen["shortcuts"] = [];
  #render: AddedToScreen["render"] = () => undefined;
  #keys = new Bindings([]);
  /** JSON of themes by name, as their files would have it. */
  readonly themes = new Map<string, string>();
  /** Chooses a theme; set when colours are known. */
  useTheme: (name: string) => boolean = () => false;

  constructor(view: ScreenView) {
    this.#view = view;
    view.widgetRows = (context) => this.#widgetRows(context);
    view.extensionKey = (key) => this.#key(key);
  }

  select: ExtensionScreen["select"] = async (title, options, { signal } = {}) => {
    const { choicePanel } = await import("./panels/choice-panel.ts");
    const items = options.map((option) => ({ value: option, label: visibleLine(option) }));
    return choicePanel(this.#view, { title: visibleLine(title), items }, signal);
  };

  confirm: ExtensionScreen["confirm"] = async (title, message = "", { signal } = {}) => {
    const { confirmPanel } = await import("./panels/open-panels.ts");
    const question = message === "" ? title : `${title}\n${message}`;
    const byAgent = this.#view.controller?.isBusy ?? false;
    return (
      (await confirmPanel(this.#view, question, { byAgent, yesOrNo: true, ...(signal ? { signal } : {}) })) === true
    );
  };

  input: ExtensionScreen["input"] = (title, placeholder = "", { signal } = {}) =>
    this.#view.ask(placeholder === "" ? title : `${title} (${placeholder})`, signal);

  editor: ExtensionScreen["editor"] = async (title, text = "") => {
    const { editedText } = await import("./external-editor.ts");
    return editedText(this.#view, title, text);
  };

  notify: ExtensionScreen["notify"] = (message, kind = "info") => this.#view.line(message, STYLES[kind] ?? "dim");

  setStatus: ExtensionScreen["setStatus"] = (key, text) => {
    if (text === undefined) this.#statuses.delete(key);
    else this.#statuses.set(key, visibleLine(String(text)));
    this.#view.screen.changed();
  };

  setWidget: ExtensionScreen["setWidget"] = (key, lines) => {
    if (lines === undefined) this.#widgets.delete(key);
    else this.#widgets.set(key, lines);
    this.#view.screen.changed();
  };

  setTitle: ExtensionScreen["setTitle"] = (title) => this.#view.terminal.setTitle(visibleLine(title));
  setTheme = (name: string): boolean => this.useTheme(name);

  setEditorText: ExtensionScreen["setEditorText"] = (text) => {
    this.#view.editor.text = text;
    this.#view.screen.changed();
  };

  showLines = (lines: ExtensionLines): void => {
    for (const { text } of linesOf(lines)) this.#view.line(text);
  };

  conversation = (): ExtensionConversation | undefined => this.#view.controller?.conversation;
  shutdown: ExtensionScreen["shutdown"] = () => this.#view.leave(EXIT.done);

  entryLines = (kind: string, text: string): readonly string[] | undefined => {
    const lines = this.#render(kind, text);
    return lines === undefined ? undefined : linesOf(lines).map((line) => line.text);
  };

  applyAdded = ({ shortcuts, themes, render }: AddedToScreen): readonly string[] => {
    this.#render = render;
    const { bindings } = this.#view;
    // Keys of a list or a question mean something only there. Where two have one, the first is named.
    const own = bindings.actions.filter(({ context }) => context === "editor" || context === "app");
    const taken = new Map(own.reverse().flatMap(({ id }) => bindings.chords(id).map((chord) => [chord, id])));
    const problems: string[] = [];
    const usable = shortcuts.filter(({ key, extension }) => {
      const problem = problemWith(key, taken);
      if (problem !== undefined)
        problems.push(`The shortcut ${key} of the extension ${extension} is left out: ${problem}.`);
      return problem === undefined;
    });
    this.#shortcuts = usable;
    this.#keys = new Bindings(
      usable.map(({ key, description }) => ({ id: key, description, chords: [key], context: "app" })),
    );
    this.themes.clear();
    const base = BUILTIN_THEMES[0]?.colors ?? {};
    for (const { name, colors, vars } of themes)
      this.themes.set(name, JSON.stringify({ name, vars, colors: { ...base, ...colors } }));
    return problems;
  };

  /** Above the line at the bottom. */
  statusRows({ columns }: RenderContext): readonly Row[] {
    if (this.#statuses.size === 0) return [];
    return [row(shorten([...this.#statuses.values()].join(" · "), columns), { color: "muted" })];
  }

  #widgetRows({ columns }: RenderContext): readonly Row[] {
    const lines = [...this.#widgets.values()].flatMap(linesOf).slice(0, MOST_WIDGET_ROWS);
    return lines.map(({ text, style }) =>
      row(shorten(visibleLine(text), columns), style === undefined ? {} : { color: style }),
    );
  }

  #key(key: KeyPress): boolean {
    const id = this.#keys.match(key, "app");
    const shortcut = this.#shortcuts.find((one) => one.key === id);
    shortcut?.run();
    return shortcut !== undefined;
  }
}

function problemWith(key: string, taken: ReadonlyMap<string, string>): string | undefined {
  const probe = new Bindings([{ id: "x", description: "", chords: [], context: "app" }], { x: key });
  if (probe.problems.length > 0) return "it is no key";
  const owner = probe.chords("x").flatMap((chord) => taken.get(chord) ?? [])[0];
  return owner === undefined ? undefined : `the key means ${owner}`;
}

function linesOf(lines: ExtensionLines): readonly { readonly text: string; readonly style?: string | undefined }[] {
  const list = typeof lines === "string" ? lines.split("\n") : lines;
  return list.map((line) =>
    typeof line === "string" ? { text: line } : { text: String(line.text), style: line.style },
  );
}
