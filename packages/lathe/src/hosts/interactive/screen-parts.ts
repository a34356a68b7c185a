// The objects that a host on a screen consists of, one concern each. They are made together once settings are known,
// and none of them is replaced afterwards.

import type { Bindings } from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";
import { ConversationLink } from "./conversation-link.ts";
import { Dialogs } from "./dialogs.ts";
import { FullScreens } from "./full-screens.ts";
import { HintLine } from "./hint-line.ts";
import type { PanelPlace } from "./panels/panel-place.ts";
import { PanelStack } from "./panels/panel-stack.ts";
import { type ConversationRows, Scrollback } from "./scrollback.ts";
import type { StartScreen } from "./start-screen.ts";
import type { Surface } from "./surface.ts";

export interface ScreenParts {
  readonly machine: Machine;
  readonly bindings: Bindings;
  /** The terminal and what is painted on it. */
  readonly surface: Surface;
  /** Access to the conversation. */
  readonly link: ConversationLink;
  /** The conversation above the composer. */
  readonly scrollback: Scrollback;
  /** Panels that replace the composer for a while. */
  readonly panels: PanelStack;
  readonly place: PanelPlace;
  /** Questions to the user. */
  readonly dialogs: Dialogs;
  /** Views that take the whole screen for a while. */
  readonly fullScreens: FullScreens;
  /** Hints that disappear by themselves. */
  readonly hint: HintLine;
  /** The folder of the conversation; until it is open, the folder of the command. */
  cwd(): string;
  /** Ends the host. */
  leave(code: ExitCode): void;
}

/** `onPanel` is called when a panel opens that the user asked for. */
export function makeScreenParts(start: StartScreen, rows: ConversationRows, onPanel: () => void): ScreenParts {
  const { machine, bindings, surface, editor } = start;
  const { deps, userHome } = machine;
  const onChange = (): void => surface.screen.requestFrame();
  const context = (): ReturnType<Surface["context"]> => surface.context();
  const hint = new HintLine(deps.setTimer, onChange);
  const scrollback = new Scrollback({ rows, context, now: deps.now, commit: (made) => surface.screen.commit(made) });
  const link = new ConversationLink({ showError: (message) => scrollback.line(message, "red"), onChange });
  const fullScreens = new FullScreens({ deps, surface, editor });
  const panels = new PanelStack({
    now: deps.now,
    setTimer: deps.setTimer,
    isComposerEmpty: () => editor.isEmpty,
    onOpen: onPanel,
    onChange,
  });
  const place: PanelPlace = {
    bindings,
    panels,
    context,
    onChange,
    hint: (text) => hint.show(text),
    onAnsweredElsewhere: (panel, by, typed) => {
      panels.noteTakenAway(panel, by !== undefined);
      if (typed !== "") editor.text = editor.isEmpty ? typed : `${typed}\n${editor.text}`;
      if (by !== undefined) scrollback.line(`Answered by ${by}.`, "dim");
    },
    view: (title, body) => fullScreens.view(title, body),
  };
  const cwd = (): string => link.controller?.conversation.workspace.cwd ?? machine.cwd;
  const dialogs = new Dialogs({ place, approvalPlace: () => ({ cwd: cwd(), userHome }) });
  const leave = (code: ExitCode): void => start.leave(code);
  return { machine, bindings, surface, link, scrollback, panels, place, dialogs, fullScreens, hint, cwd, leave };
}
