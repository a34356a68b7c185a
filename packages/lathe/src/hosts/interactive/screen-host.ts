// The host on a screen. It makes the parts of the screen and connects them: session events become rows, and keys get
// their meaning. It takes over from the start screen once settings are known.

import { setImmediate } from "node:timers/promises";
import type { Session } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { appearance, type Bindings, type Themes } from "@lathe/tui";
import type { SettingKey, Settings } from "../../config/settings/schema.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import { openThemes } from "./appearance.ts";
import { ComposerCompletion } from "./completion.ts";
import { Composer } from "./composer.ts";
import { ComposerHistory } from "./composer-history.ts";
import { TerminalForExtensions } from "./extension-screen.ts";
import { addHostCommands } from "./host-commands.ts";
import type { HostView } from "./host-view.ts";
import { KeyRouter } from "./key-router.ts";
import { Keyboard } from "./keyboard.ts";
import { LiveRegion } from "./live-region.ts";
import { moreActions } from "./more-actions.ts";
import { Pictures } from "./pictures/pictures.ts";
import type { Host } from "./run.ts";
import { makeScreenParts, type ScreenParts } from "./screen-parts.ts";
import type { StartScreen } from "./start-screen.ts";
import { ConversationFacts } from "./status-facts.ts";
import { StatusLine, type StatusPart } from "./status-line/status-line.ts";
import { TerminalIndicators } from "./terminal-indicators.ts";
import { Transcript } from "./transcript/transcript.ts";
import { TranscriptRows } from "./transcript-rows.ts";

/** `problems` are shown when the conversation is open. */
export function screenHost(start: StartScreen, workspace: Workspace, problems: readonly string[]): Host {
  const joined = joinParts(start, workspace);
  const { screen, extensions, themes, history, indicators } = joined;
  let followed: Promise<void> = Promise.resolve();
  const view = hostView(joined, (open) => {
    followed = follow(open, joined);
  });
  for (const problem of themes.startProblems) view.line(`${sentence(problem)} See /theme.`, "yellow");
  return {
    view,
    asksFirst: true,
    extensionUi: extensions,
    tell: (say) => screen.link.tell(say),
    open: (controller) => {
      addHostCommands(controller.commands, screen, themes);
      for (const problem of problems) view.line(problem, "yellow");
      screen.link.open(controller);
    },
    showTitle: (title) => indicators.name(title),
    close: async () => {
      themes.close();
      screen.hint.end();
      await Promise.all([history.close(), followed]);
    },
  };
}

interface JoinedParts {
  readonly screen: ScreenParts;
  readonly transcript: Transcript;
  readonly rows: TranscriptRows;
  readonly extensions: TerminalForExtensions;
  readonly themes: Themes;
  readonly composer: Composer;
  readonly history: ComposerHistory;
  readonly keys: KeyRouter;
  readonly facts: ConversationFacts;
  readonly indicators: TerminalIndicators;
  readonly settings: Settings;
}

/** Settings that take effect at once when they change. */
const APPLIED: Readonly<Partial<Record<SettingKey, (parts: JoinedParts) => void>>> = {
  "editor.vim": ({ composer, settings }) => {
    composer.editor.usesVim = settings["editor.vim"];
  },
  "terminal.showImages": ({ screen, settings }) => screen.surface.showPictures(settings["terminal.showImages"]),
};

/** Makes all parts and replaces the start screen. Parts refer to one another only in callbacks that run later. */
function joinParts(start: StartScreen, workspace: Workspace): JoinedParts {
  const { machine, surface, editor } = start;
  const { settings } = workspace;
  const onChange = (): void => surface.screen.requestFrame();
  const transcript: Transcript = new Transcript({
    thinking: settings["display.thinking"],
    expanded: false,
    now: machine.deps.now,
    model: () => modelOf(screen),
    onChange: () => {
      screen.scrollback.prepare();
      onChange();
    },
    entryLines: (kind, text) => extensions.entryLines(kind, text),
    isQuestionShown: () => screen.panels.shown?.byAgent ?? false,
    areAgentsShown: () => screen.panels.shown?.component.showsAgents ?? false,
    expandKey: start.bindings.chords("app.tools.expand")[0],
    cwd: () => screen.cwd(),
    backgroundKey: start.bindings.chords("app.background")[0],
    commandHint: commandHint(start.bindings),
  });
  const rows = new TranscriptRows({ transcript, setTimer: machine.deps.setTimer, onChange });
  const screen: ScreenParts = makeScreenParts(start, rows, () => keys.releaseHeld());
  const extensionThemes = new Map<string, string>();
  const themes = openThemes(surface, workspace, extensionThemes);
  const extensions: TerminalForExtensions = new TerminalForExtensions({ screen, editor, themes, extensionThemes });
  const { composer, pictures, history } = makeComposer(start, screen, transcript, workspace);
  const keyboard = new Keyboard({
    screen,
    composer,
    runMore: moreActions(screen, transcript, composer),
    handleExtensionKey: (key) => extensions.handleKey(key),
  });
  const keys: KeyRouter = new KeyRouter({
    ...screen,
    editor,
    handleAppKey: (key) => keyboard.handle(key),
    takePasted: (text) => pictures.takePasted(text),
  });
  const facts = new ConversationFacts(() => screen.link.controller);
  const region = liveRegion({ screen, composer, extensions, status: statusLine(facts, settings) });
  const indicators = new TerminalIndicators({ env: machine.env, settings, surface, cwd: screen.cwd });
  const joined = { screen, transcript, rows, extensions, themes, composer, history, keys, facts, indicators, settings };
  for (const apply of Object.values(APPLIED)) apply(joined);
  editor.prompt = [{ text: `${themes.symbols.prompt} `, style: { color: "accent" } }];
  start.show({
    completion: new ComposerCompletion(() => screen.link.controller, machine.deps.now),
    history,
    render: (context, isEcho) => region.render(context, isEcho),
    handleKey: (key) => keys.handle(key),
    handleReply: (reply) => {
      const isAboutColours = reply.kind === "background" || reply.kind === "appearance";
      if (isAboutColours) themes.setAppearance(appearance(reply, machine.env));
    },
    submit: (text, marks) => composer.submit(text, marks),
    line: (text, style) => screen.scrollback.line(text, style),
  });
  return joined;
}

function makeComposer({ editor }: StartScreen, screen: ScreenParts, transcript: Transcript, workspace: Workspace) {
  const { machine, link, scrollback, surface, dialogs, cwd } = screen;
  const hint = (text: string): void => screen.hint.show(text);
  const pictures = new Pictures({ machine, editor, hint, onChange: () => surface.screen.requestFrame() });
  const history = new ComposerHistory(workspace, { hint, choose: (choice) => dialogs.choose(choice) });
  const showSent = (text: string): void => {
    const { controller } = link;
    if (controller?.commands.parse(text.trimEnd())) {
      scrollback.gap();
      scrollback.line(`${surface.context().symbols.prompt} ${text}`, "dim");
    } else if (!controller?.isBusy && !text.startsWith("!")) transcript.user(text);
  };
  return { composer: new Composer({ editor, pictures, history, link, cwd, showSent }), pictures, history };
}

interface RegionParts {
  readonly screen: ScreenParts;
  readonly composer: Composer;
  readonly extensions: TerminalForExtensions;
  readonly status: StatusLine;
}

function liveRegion({ screen, composer, extensions, status }: RegionParts): LiveRegion {
  const { link, hint } = screen;
  return new LiveRegion({
    ...screen,
    editor: composer.editor,
    queue: () => link.controller?.queue,
    widgets: (context) => extensions.widgetRows(context),
    hint: (context) => hint.rows(context),
    status: (context) => (link.controller ? [...extensions.statusRows(context), ...status.render(context)] : []),
  });
}

function statusLine(facts: ConversationFacts, settings: Settings): StatusLine {
  // The settings schema allows only these values.
  const parts = settings["statusLine.parts"] as readonly StatusPart[];
  return new StatusLine(
    () => facts.facts as NonNullable<ConversationFacts["facts"]>,
    parts.length > 0 ? parts : undefined,
  );
}

/** The screen as the controller and commands see it. */
function hostView(joined: JoinedParts, watch: HostView["watch"]): HostView {
  const { screen, composer, keys, transcript, rows } = joined;
  const { surface, link, scrollback, dialogs, fullScreens, hint } = screen;
  return {
    get columns() {
      return surface.context().columns;
    },
    line: (text, style) => scrollback.line(text, style),
    hint: (text) => hint.show(text),
    ask: (question, signal) => dialogs.ask(question, signal),
    askSecret: (question) => dialogs.askSecret(question),
    choose: (choice) => dialogs.choose(choice),
    confirm: (question) => dialogs.confirm(question),
    offer: (question, signal) => dialogs.confirm(question, { byAgent: true, signal }),
    approve: (question, signal) => dialogs.approve(question, signal),
    answer: (questions, signal, touched) => dialogs.answer(questions, signal, touched),
    decidePlan: (plan, signal) => dialogs.decidePlan(plan, signal),
    dialogue: (from, work) => keys.holdDuring(from, work),
    page: (title, text) => fullScreens.page(title, text),
    pageDiff: (title, diff) => fullScreens.pageDiff(title, diff),
    showAgents: () => showAgents(screen),
    showTerminal: (terminal) => fullScreens.showTerminal(terminal),
    terminalSize: () => fullScreens.terminalSize(),
    edit: async (name, text) => (await import("./external-editor.ts")).editText(screen, name, text),
    copy: (text) => surface.terminal.copy(text),
    submit: (text) => void link.tell((controller) => controller.submit(text)),
    prefill: (text) => composer.prefill(text),
    applySetting: (key) => {
      APPLIED[key]?.(joined);
      return APPLIED[key] !== undefined;
    },
    showPast: async (session) => {
      if (session.usage.turns === 0 && !session.hasUnfinishedInput) return;
      scrollback.gap();
      for (const block of transcript.past(session, surface.context())) scrollback.commit(block);
    },
    userCommand: (bang) => {
      const command = transcript.userCommand(bang);
      rows.tick();
      return command;
    },
    watch,
    leave: screen.leave,
  };
}

function showAgents({ link, place, fullScreens }: ScreenParts): void {
  const { controller } = link;
  if (!controller) return;
  const session = (): Session => controller.conversation.session;
  const page = (title: string, text: string): void => fullScreens.page(title, text);
  void import("./panels/agents-hub.ts").then(({ openHub }) => openHub({ ...place, session, page }));
}

function modelOf({ link }: ScreenParts): string {
  const { profile } = link.controller?.conversation.session ?? {};
  return profile ? `${profile.provider ?? profile.id}/${profile.model}` : "";
}

function commandHint(bindings: Bindings): string {
  const [stop] = bindings.chords("app.interrupt");
  const [background] = bindings.chords("app.background");
  const stops = stop === undefined ? [] : [`${stop.replace("escape", "Esc")} to stop`];
  return [...stops, ...(background === undefined ? [] : [`${background} to send to the background`])].join(" · ");
}

/** Streaming events delay a key by at most this time. */
const AT_ONCE_MS = 20;

async function follow({ session }: OpenSession, { transcript, rows, facts, indicators }: JoinedParts): Promise<void> {
  let begun = performance.now();
  for await (const event of session.events()) {
    // Queued events arrive without a pause for keys between them, so this yields from time to time.
    if (performance.now() - begun > AT_ONCE_MS) {
      await setImmediate();
      begun = performance.now();
    }
    transcript.event(event);
    if (event.kind === "processing_end") facts.refresh();
    indicators.event(event);
    rows.tick();
  }
}
