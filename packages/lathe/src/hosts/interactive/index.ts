// The interactive mode. The composer is on the screen and takes keys before anything else is loaded: settings, models
// and the session open behind it.

import { isJsonObject } from "@lathe/llm";
import { SettingsMemory } from "../../config/settings/memory.ts";
import { type HomePaths, homePaths } from "../../platform/home/paths.ts";
import { readIfReadable } from "../../platform/home/small-file.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { onReaderGone } from "../../platform/machine/reader-gone.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { Run } from "../run.ts";
import { loadBindings } from "./actions.ts";
import { Draft } from "./draft.ts";
import { leaveOnSignals } from "./leave-on-signals.ts";
import { StartScreen } from "./start-screen.ts";
import type { StartTiming } from "./start-timing.ts";

/** `words` is the initial text of the composer. */
export async function interactiveMode(args: ParsedArgs, run: Run, timing: StartTiming, words = ""): Promise<ExitCode> {
  return (await isPlain(args, run.machine)) ? plainMode(args, run, timing) : screenMode(args, run, timing, words);
}

/** Whether to print plain lines: the terminal cannot erase, or a screen reader reads it. */
async function isPlain({ options }: ParsedArgs, { env, terminal, userHome }: Machine): Promise<boolean> {
  if (options.plain || !terminal.isTTY || env["TERM"] === "dumb") return true;
  return (env["LATHE_PLAIN"] ?? "0") !== "0" || wantsPlain(homePaths(env, userHome));
}

/**
 * Reads `display.plain` before the settings are loaded, because the first paint cannot be undone. Mistakes in the file
 * are reported later.
 */
async function wantsPlain({ config, settingsMemory }: HomePaths): Promise<boolean> {
  const text = readIfReadable(config);
  // Most files do not contain the setting and need not be parsed.
  if (!text?.includes("plain")) return false;
  const known = new SettingsMemory(settingsMemory).get(config, text);
  const { value } = known ?? (await parseYaml(text));
  if (!isJsonObject(value)) return false;
  const { display } = value;
  return value["display.plain"] === true || (isJsonObject(display) && display["plain"] === true);
}

async function parseYaml(text: string): Promise<{ readonly value?: unknown }> {
  const { isProblem, readYaml } = await import("../../platform/home/yaml.ts");
  const read = readYaml(text);
  return isProblem(read) ? {} : read;
}

async function screenMode(args: ParsedArgs, run: Run, timing: StartTiming, words: string): Promise<ExitCode> {
  const { machine } = run;
  const { home } = homePaths(machine.env, machine.userHome);
  const { bindings, problems } = loadBindings(`${home}/keybindings.json`);
  const draft = new Draft(
    { folder: `${home}/drafts`, cwd: machine.cwd, pid: machine.pid },
    { setTimer: machine.deps.setTimer, isAlive },
  );
  const start = new StartScreen(machine, bindings, (text) => draft.keep(text));
  const restore = (): void => {
    draft.flush();
    start.surface.stop();
  };
  // A bug must not leave a terminal that does not show what is typed.
  process.once("exit", restore).prependOnceListener("uncaughtException", restore);
  // Set up before the first paint, so that the terminal is always restored.
  const stopListening = leaveOnSignals(start, machine);
  // A team worker does not take over a draft that the user typed elsewhere.
  start.editor.text = (machine.paneStarter?.member ? "" : draft.adopt()) || words;
  start.surface.start();
  const { runInteractive } = await import("./run.ts");
  const { screenHost } = await import("./screen-host.ts");
  try {
    return await runInteractive(args, run, timing, {
      left: start.left,
      line: (text, style) => start.line(text, style),
      host: (workspace) => screenHost(start, workspace, problems),
    });
  } finally {
    // Answers of the terminal that come after we have left would end up in the shell.
    if (!timing.leavesWhenReady) await start.surface.terminal.waitForAnswers();
    restore();
    stopListening();
    process.off("exit", restore).off("uncaughtException", restore);
  }
}

async function plainMode(args: ParsedArgs, run: Run, timing: StartTiming): Promise<ExitCode> {
  const { PlainView } = await import("./plain/plain-view.ts");
  const { plainScreen } = await import("./plain/extension-screen.ts");
  const { runInteractive } = await import("./run.ts");
  const view = new PlainView(run.machine);
  const restore = (): void => view.stop();
  process.once("exit", restore).prependOnceListener("uncaughtException", restore);
  const stopListening = leaveOnSignals(view, run.machine);
  onReaderGone(run.machine.stdout, () => view.leave(EXIT.interrupted));
  view.start();
  try {
    return await runInteractive(args, run, timing, {
      left: view.left,
      line: (text, style) => view.line(text, style),
      host: () => ({
        view,
        extensionUi: plainScreen(view),
        tell: (say) => view.tell(say),
        open: (controller) => view.open(controller),
      }),
    });
  } finally {
    restore();
    stopListening();
    process.off("exit", restore).off("uncaughtException", restore);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user owns the process
  }
}
