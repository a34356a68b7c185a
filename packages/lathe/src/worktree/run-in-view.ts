// `--worktree`: a whole run works in a view of the project. What it changed lands at its end; when it cannot, it is kept as a patch
// and a line says where.

import {
  type Delta,
  EnvError,
  isSafeId,
  type LandingResult,
  land,
  openView,
  patchOf,
  personalIgnoreFile,
  type View,
} from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { RequestFor } from "../conversation/next-session.ts";
import { leftOutLine } from "../isolation/landing-text.ts";
import { keepPatch, recoverViews, storeOf } from "../isolation/view-store.ts";
import { EXIT, type ExitCode, usageError } from "../usage/exit.ts";
import { hostOptions, sandboxOptions } from "../workspace/this-machine.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Runs `run` with requests that work in a view, then lands. `name`: of the branch to land as; true for none. */
export async function runInView(
  workspace: Workspace,
  name: string | true,
  requestFor: RequestFor,
  run: (requests: RequestFor) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { view, tell } = await openRunView(workspace, name);
  try {
    const code = await run(async (opened, place) => ({
      ...(await requestFor(opened, place)),
      environment: () => view.env,
    }));
    return await landed(workspace, name, view, code, tell);
  } finally {
    await view.close();
  }
}

interface RunView {
  readonly view: View;
  readonly tell: (line: string) => void;
}

async function openRunView(workspace: Workspace, name: string | true): Promise<RunView> {
  const { machine, cwd } = workspace;
  const tell = (line: string): void => void machine.stderr.write(`lathe: ${line}\n`);
  if (name !== true && !isSafeId(name)) {
    throw usageError(`--worktree takes the name of a branch: letters, digits, "-" and "_". Not "${name}".`);
  }
  const id = name === true ? `run-${machine.deps.uuid().slice(0, 8)}` : name;
  const store = storeOf(workspace);
  for (const line of await recoverViews(workspace)) tell(line);
  try {
    const view = await openView({
      root: cwd,
      kind: "auto",
      id,
      store,
      host: hostOptions(workspace, (message) => tell(message)),
      sandbox: sandboxOptions(workspace),
      personalIgnores: personalIgnoreFile(workspace.env),
      signal: new AbortController().signal,
    });
    const passedOver = view.passedOver.length === 0 ? "" : ` (not possible: ${view.passedOver.join("; ")})`;
    tell(`Working in a view of ${cwd}: ${view.kind}${passedOver}.`);
    return { view, tell };
  } catch (error) {
    throw error instanceof EnvError ? usageError(`--worktree: ${error.message}`) : error;
  }
}

async function landed(
  workspace: Workspace,
  name: string | true,
  view: View,
  code: ExitCode,
  tell: (line: string) => void,
): Promise<ExitCode> {
  const delta = await view.delta();
  const leftOut = leftOutLine(workspace.cwd, delta);
  if (leftOut !== undefined) tell(`${leftOut}.`);
  if (!delta.parts.some(({ changes }) => changes.length > 0)) {
    tell("Nothing was changed.");
    return code;
  }
  if (code !== EXIT.done) {
    tell(`The run did not finish, so nothing was landed. ${await keep(workspace, delta)}`);
    return code;
  }
  const landing = land({
    root: workspace.cwd,
    id: view.id,
    store: storeOf(workspace),
    host: hostOptions(workspace, () => {}),
    deltas: [delta],
    mode: name === true ? "patch" : "branch",
    signal: new AbortController().signal,
  });
  // Whatever keeps it from landing, such as files that change while git reads them: the work is kept.
  const result = await landing.catch(async (error: unknown) => {
    tell(`${messageOf(error)} Nothing was landed. ${await keep(workspace, delta)}`);
    return undefined;
  });
  if (!result) return EXIT.failed;
  if (result.kind === "landed" || result.kind === "nothing") {
    tell(landedLine(result));
    return code;
  }
  if (result.kind === "conflict") for (const { message } of result.conflicts) tell(message);
  tell(`Nothing was landed. ${await keep(workspace, delta)}`);
  return EXIT.failed;
}

function landedLine(result: LandingResult): string {
  if (result.kind !== "landed") return "Nothing had to be landed: the project has these changes already.";
  const [branch] = result.branches;
  if (branch !== undefined) return `Landed as the branch ${branch}. To take it: git merge ${branch}`;
  return `Landed ${result.files.length} ${result.files.length === 1 ? "file" : "files"}.`;
}

async function keep(workspace: Workspace, delta: Delta): Promise<string> {
  const patch = await patchOf(delta, workspace.cwd, { baseEnv: workspace.env });
  const file = keepPatch(workspace.paths.patches, delta.id, patch);
  return `The changes are kept: git -C ${workspace.cwd} apply --3way ${file}`;
}
