// Runs the command in a pane that another Lathe process created, with the arguments and environment of that process.

import { PaneLink } from "../../doors/tmux/pane-link.ts";
import { START_VARIABLE } from "../../doors/tmux/start-link.ts";
import { type Machine, thisMachine } from "../../platform/machine/machine.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";

/** Variables that describe the terminal which tmux provides. */
const OF_THE_PANE = ["TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"];
const SAID_CHARS = 4_096;

type RunCommand = (argv: readonly string[], machine: Machine) => Promise<ExitCode>;

export async function runInPane(argv: readonly string[], run: RunCommand): Promise<ExitCode> {
  const link = await PaneLink.open(process.env[START_VARIABLE] ?? "");
  takeEnvironment(link.start.env);
  let said = "";
  const machine = withPane(thisMachine(), link, (text) => {
    said = (said + text).slice(-SAID_CHARS);
  });
  const code = await run([...argv, ...link.start.args], machine);
  await link.ended({ code, said });
  return code;
}

/** Node, and the programs it starts, read the variables of the process. */
function takeEnvironment(given: Machine["env"]): void {
  const own = OF_THE_PANE.map((name) => [name, process.env[name]] as const);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of [...Object.entries(given), ...own]) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function withPane(machine: Machine, paneStarter: PaneLink, onSaid: (text: string) => void): Machine {
  const { stderr } = machine;
  const write = (...args: Parameters<typeof stderr.write>): boolean => {
    onSaid(String(args[0]));
    return stderr.write(...args);
  };
  const tapped = Object.create(stderr, { write: { value: write } }) as NodeJS.WriteStream;
  // Copying the descriptors keeps the getters: streams are still created on first access.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(machine),
      stderr: { value: tapped, enumerable: true },
      paneStarter: { value: paneStarter, enumerable: true },
    },
  ) as Machine;
}
