// The machine as a program sees it: nothing is read from stdin, only notices are written, and no signals are handled.

import { homedir, hostname } from "node:os";
import { Readable, Writable } from "node:stream";
import { defaultDeps } from "@lathe/llm";
import { existingDirectory } from "../../config/workspace/workspace.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { type Machine, ownStderr } from "../../platform/machine/machine.ts";
import { systemUuid } from "../../platform/machine/uuid.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { Run } from "../run.ts";
import type { PlaceOptions } from "./types.ts";

export interface OpenedPlace {
  readonly run: Run;
  readonly workspace: SessionWorkspace;
}

/** Opens the workspace with its settings, models and files; `options` are command line options. */
export async function openPlace(place: PlaceOptions, options: CliOptions = {}): Promise<OpenedPlace> {
  const machine = machineOf(place);
  if (place.cwd !== undefined) existingDirectory(machine, place.cwd);
  const run = new Run(machine);
  const workspace = await run.open(options);
  for (const warning of workspace.warnings) run.machine.stderr.write(`lathe: ${warning}\n`);
  return { run, workspace };
}

function machineOf({ cwd = process.cwd(), env = process.env, onNotice }: PlaceOptions): Machine {
  const nowhere = linesTo(() => undefined);
  return {
    env,
    cwd,
    userHome: env["HOME"] || homedir(),
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps({ env, uuid: systemUuid }),
    stdin: Readable.from([]) as NodeJS.ReadStream,
    isPiped: false,
    stdout: nowhere,
    stderr: onNotice ? linesTo(onNotice) : ownStderr(),
    terminal: nowhere,
  };
}

function linesTo(take: (line: string) => void): NodeJS.WriteStream {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (const line of chunk.toString("utf8").split("\n")) if (line !== "") take(line);
      done();
    },
  });
  return stream as NodeJS.WriteStream;
}
