// The host on a screen. Finished rows go up into the scrollback; below them live what streams, what waits, and either the
// composer or a question. Takes keys from its first paint on; what is sent before the conversation is there waits for it.

import { setImmediate } from "node:timers/promises";
import type { Answer, PlanVerdict, Question, RunningTerminal, TerminalSize } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import {
  asciiSigns,
  type Bindings,
  BUILTIN_THEMES,
  type CompletionSource,
  colourMode,
  drawPicture,
  Editor,
  EMPTY_ROW,
  type Focusable,
  type History,
  type Key,
  type KeyPress,
  type LiveView,
  ProcessTerminal,
  type RenderContext,
  type Row,
  row,
  Screen,
  type Span,
  shorten,
  suspendToShell,
  type TerminalReply,
  Theme,
  visible,
  wrap,
} from "@lathe/tui";
import type { ApprovalQuestion, ApprovalReply } from "../../conversation/approvals.ts";
import type { Choice } from "../../conversation/commands/command-view.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { AppAction } from "./actions.ts";
import { composerRows, queueRows } from "./composer.ts";
import type { Controller } from "./controller.ts";
import { HeldKeys, type HoldsFrom, isTyped } from "./held-keys.ts";
import type { HostView, LineStyle } from "./host-view.ts";
import { framedPanel, hasRoomForRules, LINE_STYLES, stacked } from "./live-layout.ts";
import { PanelStack } from "./panels/panel-stack.ts";
import type { TerminalPanels } from "./panels/terminal-panel.ts";
import { Scrollback } from "./scrollback.ts";

/** What is shown of the conversation once it is there. */
export interface ConversationRows {
  /** Rows that do not change any more, each given once. */
  finished(context: RenderContext): readonly Row[];
  /** The rest: what streams and runs. */
  render(context: RenderContext): readonly Row[];
  /** Below the composer. */
  status(context: RenderContext): readonly Row[];
  /** Something of it is not in the scrollback yet. */
  readonly isUnfinished: boolean;
  /** A line of the product's own below what is not finished; false when there is nothing. */
  addBelow(line: Span): boolean;
}

export interface KeyHandler {
  /** Whether the key was one of the app's. */
  handle(key: Key): boolean;
}

const HINT_MS = 2_000;

export class ScreenView implements HostView {
  readonly machine: Machine;
  readonly bindings: Bindings;
  readonly terminal: ProcessTerminal;
  readonly screen: Screen;
  readonly editor: Editor;
  readonly panels: PanelStack;
  controller: Controller | undefined;
  /** Whether the terminal's window has the focus, as far as it says so. */
  hasFocus = true;
  /** Whether the terminal may draw pictures, if it can. */
  showsPictures = true;
  conversationRows: ConversationRows | undefined;
  keys: KeyHandler | undefined;
  /** Whoever makes the colours now. */
  colours: Pick<Theme, "sgr" | "symbols">;
  /** What the editor completes from, once it is known. */
  completion: CompletionSource | undefined;
  history: History | undefined;
  onSent: (text: string) => void = () => {};
  /** The composer was cleared, nothing was sent. */
  onCleared: (text: string) => void = () => {};
  /** Actions of parts that are loaded later; false: none of theirs. */
  moreActions: (action: AppAction) => boolean = () => false;
  /** Whether a pasted text was taken as something else than text. */
  takePasted: (text: string) => boolean = () => false;
  /** What goes with the text of the composer, such as pictures. */
  attached: () => readonly ContentPart[] = () => [];
  onReply: (reply: TerminalReply) => void = () => {};
  /** Lines of extensions above the composer. */
  widgetRows: (context: RenderContext) => readonly Row[] = () => [];
  /** Whether a key that means nothing here belongs to an extension. */
  extensionKey: (key: KeyPress) => boolean = () => false;
  #fullScreen: Focusable | undefined;
  #terminals: TerminalPanels | undefined;
  readonly #scrollback: Scrollback;
  /** Sent before the conversation was there. */
  readonly #early: ((controller: Controller) => Promise<void>)[] = [];
  readonly #held = new HeldKeys({ replay: (key) => this.#take(key), isAsking: () => this.#isAsking });
  /** Settles when the terminal is ours again; undefined while it is. */
  lent: Promise<void> | undefined;
  #hint = "";
  #hintTimer: { cancel(): void } | undefined;
  #isOver = false;
  #leave: (code: ExitCode) => void = () => {};
  readonly left = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(machine: Machine, bindings: Bindings, onChange: (text: () => string) => void) {
    this.machine = machine;
    this.bindings = bindings;
    const { deps, env } = machine;
    const [dark] = BUILTIN_THEMES;
    if (!dark) throw new Error("there is no theme");
    this.colours = new Theme(dark, colourMode(env));
    this.terminal = new ProcessTerminal({ input: machine.stdin, output: machine.terminal, env });
    this.panels = new PanelStack({
      now: deps.now,
      setTimer: deps.setTimer,
      isComposerEmpty: () => this.editor.isEmpty,
      opened: () => this.#held.asked(),
      changed: () => this.screen.changed(),
    });
    this.#scrollback = new Scrollback({
      rows: () => this.conversationRows,
      context: () => this.context(),
      now: deps.now,
      commit: (rows) => this.screen.commit(rows),
    });
    this.editor = new Editor({
      bindings,
      placeholder: "Ask for a change, or / for commands",
      prompt: [{ text: `${this.colours.symbols.prompt} `, style: { color: "accent" } }],
      completion: { complete: async (text, cursor, signal) => this.completion?.complete(text, cursor, signal) },
      history: {
        previous: (prefix) => this.history?.previous(prefix),
        next: () => this.history?.next(),
        search: (words) => this.history?.search(words) ?? [],
      },
      onSubmit: (text) => this.#submitted(text),
      onChange: () => {
        onChange(() => this.editor.value());
        this.screen.changed();
      },
    });
    this.screen = new Screen({
      output: this.terminal,
      colours: {
        sgr: (style) => this.colours.sgr(style),
        signs: (text) => asciiSigns(text, this.colours.symbols),
      },
      symbols: () => this.colours.symbols,
      clock: {
        now: deps.now,
        setTimeout: deps.setTimer,
        clearTimeout: (timer) => (timer as { cancel(): void }).cancel(),
      },
      live: (context, isEcho) => this.#live({ ...context, ...this.#traits }, isEcho),
      reflow: () => this.terminal.reflow,
      knowsSync: () => this.terminal.knowsSync,
      sync: (env["LATHE_NO_SYNC_OUTPUT"] ?? "0") === "0",
      draw: (file, most) => (this.showsPictures ? drawPicture(file, this.terminal.pictures, most) : undefined),
    });
  }

  /** The first paint. */
  start(): void {
    this.terminal.start({
      onKey: (key: Key) => this.#key(key),
      onReply: (reply: TerminalReply) => this.onReply(reply),
      onResize: () => this.screen.resized(),
    });
    this.screen.paint();
  }

  /** The terminal as it was before, with what stays of the live region. */
  stop(rows: readonly Row[] = []): void {
    this.screen.end(rows);
    this.terminal.stop();
  }

  /** The conversation is there: what was sent until now goes to it. */
  open(controller: Controller): void {
    this.controller = controller;
    for (const say of this.#early.splice(0)) void this.tell(say);
    this.screen.changed();
  }

  /** Runs something that was said; what is wrong with it is shown. */
  async tell(say: (controller: Controller) => Promise<void>): Promise<void> {
    if (!this.controller) {
      this.#early.push(say);
      return;
    }
    try {
      await say(this.controller);
    } catch (error) {
      this.line((error as Error).message, "red");
    }
    this.screen.changed();
  }

  line(text: string, style?: LineStyle): void {
    const styled = style === undefined ? {} : { style: LINE_STYLES[style] };
    this.#scrollback.line({ text: visible(text), ...styled });
  }

  /** Leaves a blank row, unless there is one or nothing is above. */
  gap(): void {
    this.#scrollback.gap();
  }

  /** To the scrollback. */
  commit(rows: readonly Row[]): void {
    this.#scrollback.commit(rows);
  }

  /** The conversation has changed. */
  streamed(): void {
    this.#scrollback.streamed();
    this.screen.changed();
  }

  hint(text: string): void {
    this.#hintTimer?.cancel();
    this.#hint = text;
    this.#hintTimer = this.machine.deps.setTimer(() => {
      this.#hint = "";
      this.screen.changed();
    }, HINT_MS);
    this.screen.changed();
  }

  dialogue = <T>(from: HoldsFrom, work: () => Promise<T>): Promise<T> => this.#held.during(from, work);

  ask = async (question: string, signal?: AbortSignal): Promise<string | undefined> => {
    const { askPanel } = await import("./panels/line-panel.ts");
    return askPanel(this, question, signal);
  };

  askSecret = async (question: string): Promise<string | undefined> => {
    const { secretPanel } = await import("./panels/line-panel.ts");
    return secretPanel(this, question);
  };

  choose = async <T>(choice: Choice<T>): Promise<T | undefined> => {
    const { choicePanel } = await import("./panels/choice-panel.ts");
    return choicePanel(this, choice);
  };

  confirm = async (question: string): Promise<boolean | string | undefined> => {
    const { confirmPanel } = await import("./panels/open-panels.ts");
    return confirmPanel(this, question);
  };

  offer = async (question: string, signal: AbortSignal): Promise<boolean | string | undefined> => {
    const { confirmPanel } = await import("./panels/open-panels.ts");
    return signal.aborted ? undefined : confirmPanel(this, question, { byAgent: true, signal });
  };

  approve = async (question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalReply | undefined> => {
    const { approvalPanel } = await import("./panels/open-panels.ts");
    return approvalPanel(this, question, signal);
  };

  answer = async (
    questions: readonly Question[],
    signal: AbortSignal,
    touched?: () => void,
  ): Promise<readonly Answer[] | undefined> => {
    const { questionPanels } = await import("./panels/open-panels.ts");
    return questionPanels(this, questions, signal, touched);
  };

  decidePlan = async (plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> => {
    const { planPanel } = await import("./panels/open-panels.ts");
    return planPanel(this, plan, signal);
  };

  showTerminal = (terminal: RunningTerminal): (() => void) => {
    const shown = import("./panels/terminal-panel.ts").then(({ TerminalPanels }) => {
      this.#terminals ??= new TerminalPanels(this);
      return this.#terminals.show(terminal);
    });
    return () => void shown.then((hide) => hide());
  };

  terminalSize = (): TerminalSize => ({ columns: this.context().columns, rows: Math.max(1, this.context().rows - 1) });

  page(title: string, text: string): void {
    this.view(title, (columns) => wrap([{ text: visible(text) }], columns));
  }

  pageDiff(title: string, diff: string): void {
    void import("./panels/diff-page.ts").then(({ diffPage }) => this.view(title, diffPage(diff)));
  }

  /** Rows that may be more than the screen has. */
  view(title: string, body: (columns: number) => Iterable<Row>): void {
    void import("./panels/viewer.ts").then(({ openViewer }) => openViewer(this, title, body));
  }

  showAgents = (): void => void import("./panels/agents-hub.ts").then(({ openHub }) => openHub(this));

  openFullScreen(view: Focusable): void {
    this.#fullScreen = view;
    this.screen.openFullScreen(view);
  }

  closeFullScreen(): void {
    this.#fullScreen = undefined;
    this.screen.closeFullScreen();
  }

  /** Somebody else has the terminal while the work is done. */
  async released<T>(work: () => Promise<T>): Promise<T> {
    this.screen.pause();
    this.terminal.suspend();
    let isBack = (): void => {};
    this.lent = new Promise((resolve) => {
      isBack = resolve;
    });
    try {
      return await work();
    } finally {
      // A Ctrl+C that ended the other program may be told to us after its end.
      await setImmediate();
      this.lent = undefined;
      this.terminal.resume();
      this.screen.resume();
      isBack();
    }
  }

  /** Ctrl+Z: the shell has the terminal until it brings us back. */
  suspend(): void {
    suspendToShell({ process, terminal: this.terminal, screen: this.screen });
  }

  copy(text: string): void {
    this.terminal.copy(text);
  }

  submit(text: string): void {
    void this.tell((controller) => controller.submit(text));
  }

  prefill(text: string): void {
    this.editor.text = this.editor.isEmpty ? text : `${text}\n${this.editor.text}`;
    this.screen.changed();
  }

  async showPast(session: OpenSession["session"]): Promise<void> {
    if (session.usage.turns === 0 && !session.hasUnfinishedInput) return;
    this.past(session);
  }

  /** Shows the end of an earlier session. */
  past: (session: OpenSession["session"]) => void = () => {};
  userCommand: HostView["userCommand"] = () => ({ output: () => {}, end: () => {} });
  /** Set when the conversation is opened. */
  watch: (open: OpenSession) => void = () => {};

  leave(code: ExitCode): void {
    this.#isOver = true;
    this.#leave(code);
  }

  /** The text leaves the composer. */
  sent(text: string): void {
    this.editor.clear();
    this.onSent(text);
  }

  #submitted(text: string): void {
    if (text.trim() === "") return;
    const attached = this.attached();
    this.sent(text);
    void this.tell((controller) => controller.say(text, attached));
  }

  #key(key: Key): void {
    if (this.#isOver) return;
    if (key.kind === "focus") this.hasFocus = key.focused;
    else this.panels.keyPressed();
    if (this.#isAsking || this.#fullScreen || !this.#held.takes(key)) this.#take(key);
    this.panels.settle();
    if (key.kind === "key" && key.text !== undefined) this.screen.echo();
    else this.screen.paint();
  }

  /** Something that the person has asked for gets the keys. */
  get #isAsking(): boolean {
    const { focused } = this.panels;
    return focused !== undefined && !focused.byAgent;
  }

  #take(key: Key): void {
    if (this.#fullScreen) this.#fullScreen.handle(key);
    else if (!this.#panelKey(key) && !this.keys?.handle(key) && !this.#startKey(key) && !this.#pasteKey(key))
      this.editor.handle(key);
  }

  /** Until everything is loaded, only leaving works. */
  #startKey(key: Key): boolean {
    if (this.keys || key.kind !== "key" || !key.ctrl || key.name !== "c") return false;
    this.leave(EXIT.interrupted);
    return true;
  }

  #pasteKey(key: Key): boolean {
    return key.kind === "paste" && this.takePasted(key.text);
  }

  #panelKey(key: Key): boolean {
    const { focused, shown } = this.panels;
    if (key.kind === "key" && key.name === "tab" && !key.shift && shown?.byAgent) {
      if (focused) this.panels.unfocus();
      else this.panels.focus();
      return true;
    }
    if (!focused) return false;
    if (this.panels.isDeaf && isTyped(key)) return true;
    // A paste is meant for the composer, unless the panel takes text now.
    if (focused.component.handle(key)) return true;
    if (key.kind === "paste" && focused.byAgent) {
      this.panels.unfocus();
      return false;
    }
    if (key.kind !== "key") return true;
    const isCancel = this.bindings.match(key, "select") === "tui.select.cancel";
    if (isCancel && !focused.byAgent) {
      focused.cancel();
      return true;
    }
    // Keys of the app work beside a question; text does not reach the composer behind it.
    return !this.keys?.handle(key) || true;
  }

  #live(context: RenderContext, isEcho: boolean): LiveView {
    const { shown, focused } = this.panels;
    const above: Row[] = [...this.#scrollback.unfinished(context, isEcho)];
    if (this.controller) above.push(...queueRows(this.controller.queue, context, this.#queueKeys()));
    above.push(...this.widgetRows(context));
    const status = this.conversationRows?.status(context) ?? [];
    const said = this.#hint;
    const below = said === "" ? status : [row(shorten(said, context.columns), { color: "warning" }), ...status];
    if (shown) {
      const isBelowText = above.length > 0 || this.#scrollback.endsInText;
      if (isBelowText && hasRoomForRules(context)) above.push(EMPTY_ROW);
      if (focused) {
        const panel = framedPanel(shown, context, this.panels.hint, { color: "dim", others: below.length });
        return stacked(above, panel, below, context);
      }
    }
    const composer = composerRows(this.editor, context, "border");
    if (shown) {
      const others = below.length + composer.rows.length;
      above.push(...framedPanel(shown, context, this.panels.hint, { color: "warning", others }).rows);
    }
    return stacked(above, composer, below, context);
  }

  #queueKeys(): { edit: string; now: string } {
    const key = (action: string): string => this.bindings.chords(action)[0] ?? "";
    return { edit: key("app.message.dequeue"), now: key("app.message.sendNow") };
  }

  get columns(): number {
    return this.context().columns;
  }

  get #traits(): Pick<RenderContext, "links" | "pictures"> {
    const { links, pictures } = this.terminal;
    return { links, ...(this.showsPictures ? { pictures: pictures.protocol } : {}) };
  }

  context(): RenderContext {
    const { columns, rows } = this.terminal;
    const { symbols } = this.colours;
    return { columns, rows, symbols, ...this.#traits, now: this.machine.deps.now() };
  }
}
