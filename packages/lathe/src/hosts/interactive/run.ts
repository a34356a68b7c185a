// Runs an interactive conversation, from options to its end. The same for screen and plain mode.

import type { InputContent } from "@lathe/agent";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { builtinCommands, quit } from "../../conversation/commands/builtin.ts";
import { type SessionOpener, serveCommand } from "../../conversation/commands/serve-command.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { isLeftOpen, staysOpenText } from "../../conversation/gates/open-question.ts";
import type { Arrival, OpenSession } from "../../conversation/session-contract.ts";
import type { Presence } from "../../conversation/session-request.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { SharedPerson } from "../../conversation/shared-person.ts";
import type { ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { unwritableReason } from "../../platform/home/unwritable.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { keepYoungObjectsFew } from "../../platform/machine/young-objects.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { CliError, EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { rememberForTerminal } from "../../sessions/breadcrumb.ts";
import { type SessionChooser, withChosenSession } from "../../sessions/choose.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import { promptsOf } from "../headless/prompts.ts";
import type { Run } from "../run.ts";
import { Controller } from "./controller.ts";
import type { HostView, LineStyle } from "./host-view.ts";
import type { StartTiming } from "./start-timing.ts";

/** Where a run starts: before there is a host, it can show lines and the user can leave. */
export interface HostStart {
  /** Resolves when the user leaves. */
  readonly left: Promise<ExitCode>;
  line(text: string, style?: LineStyle): void;
  /** Makes the host once settings are known. */
  host(workspace: Workspace): Host;
}

/** A view and its hooks into the run. */
export interface Host {
  readonly view: HostView;
  /** A user without credentials is asked what to start with. */
  readonly asksFirst?: boolean;
  /** Dialogs and widgets of extensions. */
  readonly extensionUi?: ExtensionScreen;
  /** Runs something that the user sent, and shows errors. */
  tell(say: (controller: Controller) => Promise<void>): Promise<void>;
  /** The user may send from now on. */
  open(controller: Controller): void;
  /** Called when the session has a title. */
  showTitle?(title: string): void;
  /** Called when the conversation ends. */
  close?(): Promise<void>;
}

interface Opened {
  readonly host: Host;
  readonly controller: Controller;
  readonly prompts: readonly InputContent[];
  /** Opens the session to other clients. */
  readonly opener?: SessionOpener;
}

export async function runInteractive(
  args: ParsedArgs,
  run: Run,
  timing: StartTiming,
  start: HostStart,
): Promise<ExitCode> {
  keepYoungObjectsFew();
  const opening = openRun(args, run, timing, start);
  // A user who leaves does not wait for what is still opening.
  const first = await Promise.race([opening, start.left]);
  if (typeof first === "number") {
    const closeOpened = async ({ controller: { conversation } }: Opened): Promise<void> => {
      await conversation.close();
      await conversation.workspace.view?.leave();
    };
    void opening.then(closeOpened).catch(() => {});
    return first;
  }
  return converse(first, timing, start.left);
}

async function openRun(args: ParsedArgs, run: Run, timing: StartTiming, start: HostStart): Promise<Opened> {
  const place = await timing.phase("workspace", () => run.open(args.options, quietMachine(run.machine, start)));
  const host = start.host(place);
  const { worktree } = args.options;
  if (worktree === undefined) return openIn(place, args, run, timing, host);
  const { OpenRunView } = await import("../worktree/run-view.ts");
  const runView = await OpenRunView.open(place, worktree, (line) => host.view.line(line, "dim"));
  try {
    return await openIn({ ...place, view: runView }, args, run, timing, host);
  } catch (error) {
    await runView.leave();
    throw error;
  }
}

async function openIn(
  workspace: SessionWorkspace,
  args: ParsedArgs,
  run: Run,
  timing: StartTiming,
  host: Host,
): Promise<Opened> {
  const { view } = host;
  const { machine, view: runView } = workspace;
  const unkept = args.options["no-session"] ? undefined : unwritableReason(workspace.paths.sessions);
  for (const warning of [...workspace.warnings, unkept]) if (warning !== undefined) view.line(warning, "yellow");
  const options = await withChosenSession(workspace, args.options, sessionChooser(view, workspace));
  // Errors about an @file come before anything is opened.
  const prompts = await promptsOf({ ...args, options }, { machine, files: runView?.env });
  const presence = { interactive: true, ...(host.asksFirst && !timing.leavesWhenReady ? askOnce(view) : {}) };
  const phase = <T>(name: string, work: () => Promise<T>): Promise<T> => timing.phase(name, work);
  const requestFor = run.requestFor(workspace, options, { presence, phase });
  const commands = builtinCommands();
  const onSession = (open: OpenSession, { workspace: place, reason }: Arrival): void => {
    rememberForTerminal(place, open.journal.path);
    view.watch(open);
    const question = reason === "start" ? undefined : open.gates.open?.context.title;
    if (question !== undefined) view.line(staysOpenText(question), "yellow");
    const setCommands = (): void => commands.setSessionCommands(open.parts.commands());
    open.parts.onCommands = setCommands;
    setCommands();
  };
  const workspaceAt = (cwd: string): Promise<SessionWorkspace> => run.openAt(cwd, options, machine);
  const { approve, answer, decidePlan, showTerminal, terminalSize } = view;
  const { extensionUi } = host;
  const terminal = {
    approve,
    answer,
    decidePlan,
    ...(showTerminal && terminalSize ? { showTerminal, terminalSize } : {}),
    ...(extensionUi ? { extensionUi } : {}),
  };
  const person = new SharedPerson({ name: "the terminal", person: terminal });
  const opener = run.opensSessions?.(person);
  if (opener) commands.add(serveCommand(opener));
  const parts = {
    workspace,
    requestFor,
    person,
    onSession,
    // A session in a view cannot move: the view is a copy of this folder.
    ...(runView ? {} : { workspaceAt }),
    namesSessions: true,
    onTitle: (title: string) => host.showTitle?.(title),
  };
  const conversation = await Conversation.start(parts, journalFor(workspace, options));
  const controller = new Controller(conversation, commands, view, machine.deps.setTimer);
  if (runView) commands.add({ ...quit, run: () => controller.leave(EXIT.done) });
  await opener?.begin(conversation);
  return { host, controller, prompts, ...(opener ? { opener } : {}) };
}

async function converse(
  { host, controller, prompts, opener }: Opened,
  timing: StartTiming,
  left: Promise<ExitCode>,
): Promise<ExitCode> {
  const { view } = host;
  const { conversation } = controller;
  const { model, session, workspace } = conversation;
  const folder = shownPath(workspace.cwd, workspace.machine.userHome);
  const sandbox = session.env.isSandboxed ? " · sandbox" : "";
  view.line(`lathe ${LATHE_VERSION} · ${model.provider}/${model.id} · ${folder}${sandbox} · /help\n`, "dim");
  await view.showPast(session);
  timing.print();
  if (timing.leavesWhenReady) {
    await conversation.close();
    await workspace.view?.leave();
    return EXIT.done;
  }
  const [first, ...later] = prompts;
  host.open(controller);
  announceNewer(controller, view, left);
  void host.tell(async (ready) => {
    if (first !== undefined) {
      ready.returnQueued();
      const [now, ...rest] = await expandInputs(ready, [first, ...later]);
      if (now !== undefined) await ready.submit(now, rest);
    } else if (conversation.wasCutOff || isLeftOpen(conversation.open)) await ready.offerToContinue();
  });
  const code = await left;
  const { isKept, session: last } = conversation;
  await opener?.end();
  await Promise.all([conversation.close(), host.close?.()]);
  // Printed last, because only now is it known whether changes remain.
  const kept = await workspace.view?.leave();
  if (kept !== undefined) view.line(kept, "yellow");
  const command = kept === undefined ? "lathe" : (workspace.view?.toContinue ?? "lathe");
  const toContinue = isKept ? `To continue: ${command} --resume ${last.id.slice(0, 8)}` : `To continue: ${command}`;
  if (isKept || kept !== undefined) view.line(toContinue, "dim");
  const { paneStarter } = workspace.machine;
  if (kept !== undefined) paneStarter?.lastWords(kept);
  if (isKept || kept !== undefined) paneStarter?.lastWords(toContinue);
  return code;
}

async function expandInputs(controller: Controller, inputs: readonly InputContent[]): Promise<InputContent[]> {
  const expanded: InputContent[] = [];
  for (const input of inputs) {
    const content = await controller.expand(input);
    if (content !== undefined) expanded.push(content);
  }
  return expanded;
}

/** Asks for the first model once; later sessions of the run reuse it. */
function askOnce(view: HostView): Presence {
  let chosen: ReturnType<NonNullable<Presence["firstModel"]>> | undefined;
  const ask = (workspace: SessionWorkspace) =>
    view.dialogue("its first question", async () =>
      (await import("../../conversation/commands/first-model.ts")).chooseFirstModel(workspace, view),
    );
  return {
    firstModel: (workspace) => {
      chosen ??= ask(workspace);
      return chosen;
    },
  };
}

/** Delays the check, so that it does not slow down the start. */
const LATER_MS = 10_000;

function announceNewer(controller: Controller, view: HostView, left: Promise<ExitCode>): void {
  const { workspace } = controller.conversation;
  const { setTimer } = workspace.machine.deps;
  const announce = async (): Promise<void> => {
    // The notice does not interrupt work.
    if (controller.isBusy) {
      timer = setTimer(announce, LATER_MS);
      return;
    }
    const { versionNotice } = await import("../../config/update/newer-version.ts");
    const { line, refresh } = versionNotice(workspace);
    if (line !== undefined) view.line(line, "dim");
    await refresh();
  };
  let timer = setTimer(announce, LATER_MS);
  void left.then(() => timer.cancel());
}

function sessionChooser(view: HostView, workspace: Workspace): SessionChooser {
  return {
    choose: async (sessions) => {
      const { chooseFrom } = await import("../../conversation/commands/choice.ts");
      const { sessionChoice } = await import("../../conversation/session-choice.ts");
      const path = await chooseFrom(view, sessionChoice(workspace, sessions));
      if (path === undefined) throw new CliError(EXIT.done, "No session selected");
      return path;
    },
    confirm: async (question) => (await view.confirm(question)) === true,
  };
}

/** Turns output to stderr into lines of the view: nothing may be written into the middle of a screen. */
function quietMachine(machine: Machine, start: Pick<HostStart, "line">): Machine {
  const write = (text: string): boolean => {
    start.line(text.replace(/^lathe: /, "").replace(/\n$/, ""), "yellow");
    return true;
  };
  const stderr = Object.create(machine.stderr, { write: { value: write } }) as NodeJS.WriteStream;
  // As own properties, so that spreading this machine into another copies all of them. Streams are still created on
  // first use.
  const all = Object.getOwnPropertyDescriptors(machine);
  return Object.defineProperties({}, { ...all, stderr: { value: stderr, enumerable: true } }) as Machine;
}
