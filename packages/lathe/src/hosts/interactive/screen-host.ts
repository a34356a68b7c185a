// Brings the screen and the conversation together: what happens in a session becomes rows, and the keys get their meaning.

import { setImmediate } from "node:timers/promises";
import {
  type Bindings,
  elapsed,
  type RenderContext,
  type Row,
  row,
  rowOf,
  type Span,
  shorten,
  type Themes,
} from "@lathe/tui";
import type { OpenSession } from "../../conversation/session-contract.ts";
import { dressed } from "./appearance.ts";
import { ComposerCompletion } from "./completion.ts";
import { ComposerHistory } from "./composer-history.ts";
import { TerminalForExtensions } from "./extension-screen.ts";
import { addHostCommands } from "./host-commands.ts";
import { Keyboard } from "./keyboard.ts";
import { moreActions } from "./more-actions.ts";
import { Pictures } from "./pictures/pictures.ts";
import type { Host } from "./run.ts";
import type { ConversationRows, ScreenView } from "./screen-view.ts";
import { ConversationFacts } from "./status-facts.ts";
import { StatusLine, type StatusPart } from "./status-line/status-line.ts";
import { TerminalSigns } from "./terminal-signs.ts";
import { Transcript } from "./transcript/transcript.ts";

/** `problems`: lines to show when the conversation is there. */
export function screenHost(view: ScreenView, problems: readonly string[]): Host {
  const { deps } = view.machine;
  const model = (): string => {
    const { profile } = view.controller?.conversation.session ?? {};
    return profile ? `${profile.provider ?? profile.id}/${profile.model}` : "";
  };
  const forExtensions = new TerminalForExtensions(view);
  const transcript = new Transcript({
    thinking: "folded",
    expanded: false,
    now: deps.now,
    model,
    onChange: () => view.streamed(),
    entryLines: (kind, text) => forExtensions.entryLines(kind, text),
    isQuestionShown: () => view.panels.shown?.byAgent ?? false,
    areAgentsShown: () => view.panels.shown?.component.showsAgents ?? false,
    expandKey: view.bindings.chords("app.tools.expand")[0],
    commandHint: commandHint(view.bindings),
  });
  const facts = new ConversationFacts(() => view.controller);
  const rows = new HostRows(view, transcript, facts, forExtensions);
  const signs = new TerminalSigns(view);
  let themes: Themes | undefined;
  let history: ComposerHistory | undefined;
  view.conversationRows = rows;
  let followed: Promise<void> = Promise.resolve();
  view.watch = (open) => {
    followed = follow(open, { transcript, rows, facts, signs });
  };
  view.past = (session) => {
    view.gap();
    for (const block of transcript.past(session, view.context())) view.commit(block);
  };
  view.userCommand = (bang) => {
    const shown = transcript.userCommand(bang);
    rows.tick();
    return shown;
  };
  view.onSent = (text) => {
    const { controller } = view;
    if (controller?.commands.parse(text.trimEnd())) {
      view.gap();
      view.line(`${view.colours.symbols.prompt} ${text}`, "dim");
    } else if (!controller?.isBusy && !text.startsWith("!")) transcript.user(text);
    history?.add(text, controller?.conversation.workspace.cwd ?? view.machine.cwd);
  };
  view.onCleared = (text) => history?.keep(text);
  const pictures = new Pictures(view);
  view.takePasted = (text) => pictures.takePasted(text);
  view.attached = () => pictures.partsOf(view.editor.marks());
  view.moreActions = moreActions(view, transcript, () => history, pictures);
  return {
    view,
    asksFirst: true,
    extensionUi: forExtensions,
    settled: (workspace) => {
      const { settings } = workspace;
      themes = dressed(view, workspace, forExtensions.themes);
      forExtensions.useTheme = (name) => themes?.preview(name).success ?? false;
      history = new ComposerHistory(workspace);
      view.history = history;
      transcript.thinking = settings["display.thinking"];
      view.editor.usesVim = settings["editor.vim"];
      view.showsPictures = settings["terminal.showImages"];
      // The schema lets nothing else through.
      const parts = settings["statusLine.parts"] as readonly StatusPart[];
      if (parts.length > 0) rows.parts = parts;
      signs.enable(settings);
    },
    open: (controller) => {
      view.keys = new Keyboard(view);
      view.completion = new ComposerCompletion(controller, deps.now);
      if (themes) addHostCommands(controller.commands, view, themes);
      for (const problem of problems) view.line(problem, "yellow");
      view.open(controller);
    },
    titled: (title) => signs.name(title),
    close: async () => {
      themes?.close();
      await Promise.all([history?.close(), followed]);
    },
  };
}

function commandHint(bindings: Bindings): string {
  const [stop] = bindings.chords("app.interrupt");
  const [background] = bindings.chords("app.background");
  const stops = stop === undefined ? [] : [`${stop.replace("escape", "esc")} stops it`];
  return [...stops, ...(background === undefined ? [] : [`${background} sends it to the background`])].join(", ");
}

interface Followers {
  readonly transcript: Transcript;
  readonly rows: HostRows;
  readonly facts: ConversationFacts;
  readonly signs: TerminalSigns;
}

async function follow({ session }: OpenSession, followers: Followers): Promise<void> {
  const { transcript, rows, facts, signs } = followers;
  let begun = performance.now();
  for await (const event of session.events()) {
    // Events that have piled up come one after the other, without a gap for a key between them.
    if (performance.now() - begun > AT_ONCE_MS) {
      await setImmediate();
      begun = performance.now();
    }
    transcript.event(event);
    if (event.kind === "processing_end") facts.refresh();
    signs.event(event);
    rows.tick();
  }
}

const TICK_MS = 1_000;
/** A key does not wait longer for what streams in. */
const AT_ONCE_MS = 20;

/** The transcript, what is going on, and the line below the composer. */
class HostRows implements ConversationRows {
  readonly #view: ScreenView;
  readonly #transcript: Transcript;
  readonly #facts: ConversationFacts;
  readonly #more: TerminalForExtensions;
  #status: StatusLine;
  #ticking: { cancel(): void } | undefined;

  constructor(view: ScreenView, transcript: Transcript, facts: ConversationFacts, more: TerminalForExtensions) {
    this.#view = view;
    this.#more = more;
    this.#transcript = transcript;
    this.#facts = facts;
    this.#status = this.#lineOf();
  }

  set parts(parts: ConstructorParameters<typeof StatusLine>[1]) {
    this.#status = this.#lineOf(parts);
  }

  #lineOf(parts?: ConstructorParameters<typeof StatusLine>[1]): StatusLine {
    return new StatusLine(() => this.#facts.facts as NonNullable<ConversationFacts["facts"]>, parts);
  }

  finished(context: RenderContext): readonly Row[] {
    return this.#transcript.finished(context);
  }

  render(context: RenderContext): readonly Row[] {
    return [...this.#transcript.render(context), ...this.#activity(context)];
  }

  status(context: RenderContext): readonly Row[] {
    return this.#view.controller ? [...this.#more.statusRows(context), ...this.#status.render(context)] : [];
  }

  get isUnfinished(): boolean {
    return this.#transcript.isUnfinished;
  }

  addBelow(line: Span): boolean {
    return this.#transcript.addBelow(line);
  }

  /** Running times move on, as long as there are any. */
  tick(): void {
    if (this.#ticking || !this.#transcript.ticks) return;
    this.#ticking = this.#view.machine.deps.setTimer(() => {
      this.#ticking = undefined;
      this.#view.screen.changed();
      this.tick();
    }, TICK_MS);
  }

  #activity({ columns, symbols, now }: RenderContext): readonly Row[] {
    const { activity } = this.#transcript;
    if (!activity) return [];
    const seconds = Math.floor((now - activity.since) / 1000);
    const frame = symbols.spinner[seconds % symbols.spinner.length] ?? "";
    const end = `  ${elapsed(now - activity.since)} · esc stops`;
    return [
      row(""),
      rowOf(
        { text: `${frame} `, style: { color: "accent" } },
        { text: shorten(activity.text, Math.max(1, columns - end.length - 2)) },
        { text: end, style: { color: "dim" } },
      ),
    ];
  }
}
