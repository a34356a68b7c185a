// Updates other files when files move. All servers for one of the files, and all that run for the project, take part,
// because servers of other languages may know importers too.

import { posix } from "node:path";
import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import type { LspQuestion, RefactoredFile, Refactoring } from "@lathe/agent/tools";
import { isJsonObject, messageOf } from "@lathe/llm";
import { toUri } from "./addresses.ts";
import { isFor } from "./find-servers.ts";
import type { LanguageServer } from "./language-server.ts";
import type { LanguageServers } from "./language-servers.ts";
import type { LiveServer } from "./live-server.ts";
import { notShownFailure, Places, shortPath, shownPath } from "./places.ts";
import { METHOD_NOT_FOUND, ServerRefusal } from "./rpc-connection.ts";
import { fileTypeOf } from "./server-rows.ts";
import { refactoringOf } from "./workspace-edit.ts";

const TIMEOUT_MS = 20_000;
const MOST_MOVED = 1000;

interface Move {
  readonly from: string;
  readonly to: string;
}

export class MovedFiles {
  readonly #servers: LanguageServers;
  readonly #places: Places;

  constructor(servers: LanguageServers) {
    this.#servers = servers;
    this.#places = new Places(servers);
  }

  async plan(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    const { file, newName, timeoutMs = TIMEOUT_MS } = question;
    if (!file || !newName) throw new ToolFailure("Give `file` and, as `new_name`, its new path.");
    const to = env.resolve(newName);
    if (to === file) throw new ToolFailure(`${visibleName(newName)} is already its path.`);
    const moves = (await filesBelow(file, env)).map((from) => ({ from, to: to + from.slice(file.length) }));
    const known = moves.find(({ from }) => this.#servers.rows.some((row) => isFor(row, from)))?.from ?? file;
    const main = await this.#places.liveFor(known, "workspace", env, signal);
    if ((await main.show(known)) === undefined) throw await notShownFailure(known, env);
    await main.waitUntilLoaded(known, { timeoutMs, signal });
    const ask = async (live: LiveServer): Promise<Refactoring> => {
      const params = { files: moves.map(toUris) };
      const answer = await live.ask("workspace/willRenameFiles", params, { timeoutMs, signal }).catch((error) => {
        if (!(error instanceof ServerRefusal) || error.code !== METHOD_NOT_FOUND) throw error;
        throw new ToolFailure(
          `${live.row.name} cannot tell what a move changes in other files. Nothing was moved: move it with a command, and correct the imports.`,
        );
      });
      return refactoringOf(answer, live, env);
    };
    const plans = [await ask(main)];
    const notes: string[] = [];
    const froms = moves.map(({ from }) => from);
    for (const server of await this.#serversOf(froms, env)) {
      try {
        const live = await server.use(signal);
        if (live === main || !wantsMoves(live)) continue;
        await live.refresh();
        plans.push(await ask(live));
      } catch (error) {
        signal.throwIfAborted();
        notes.push(`${server.row.name} was not asked about the move: ${messageOf(error)}`);
      }
    }
    const own = moves.map((move) => ({ from: shortPath(move.from, env), to: shortPath(move.to, env) }));
    return joinPlans([...plans, { files: [], moves: own, notes }]);
  }

  async afterApply({ moves }: Refactoring, env: ExecutionEnvironment): Promise<void> {
    const done = moves.map(({ from, to }) => ({ from: env.resolve(from), to: env.resolve(to) }));
    if (done.length === 0) return;
    const tos = done.map(({ to }) => to);
    for (const { live } of await this.#serversOf(tos, env)) {
      for (const { from } of done) live?.hide(from);
      live?.connection.notify("workspace/didRenameFiles", { files: done.map(toUris) });
    }
  }

  /** The servers for these files, and those that run for the project. */
  async #serversOf(paths: readonly string[], env: ExecutionEnvironment): Promise<Set<LanguageServer>> {
    const servers = new Set<LanguageServer>();
    for (const path of new Map(paths.map((one) => [fileTypeOf(one), one])).values())
      for (const { server } of await this.#servers.forFile(path, env)) if (server) servers.add(server);
    for (const { server } of await this.#servers.forProject(env)) if (server?.live) servers.add(server);
    return servers;
  }
}

const toUris = ({ from, to }: Move) => ({ oldUri: toUri(from), newUri: toUri(to) });

/** The server announced that it wants to know about moves before they happen. */
function wantsMoves({ capabilities: { workspace } }: LiveServer): boolean {
  const operations = isJsonObject(workspace) ? workspace["fileOperations"] : undefined;
  return isJsonObject(operations) && isJsonObject(operations["willRename"]);
}

/** Joins plans: if two edit the same file differently, the earlier plan's edits count. */
function joinPlans(plans: readonly Refactoring[]): Refactoring {
  const files = new Map<string, RefactoredFile>();
  const notes = plans.flatMap((plan) => plan.notes);
  for (const file of plans.flatMap((plan) => plan.files)) {
    const known = files.get(file.path);
    if (known && JSON.stringify(known.edits) !== JSON.stringify(file.edits))
      notes.push(
        `Two servers would change ${visibleName(file.path)} in different ways; the first one's edits are made.`,
      );
    if (!known) files.set(file.path, file);
  }
  return {
    files: [...files.values()],
    moves: plans.flatMap(({ moves }) => moves),
    creates: plans.flatMap(({ creates = [] }) => creates),
    deletes: plans.flatMap(({ deletes = [] }) => deletes),
    notes,
  };
}

/** The file itself, or the files in the folder. */
async function filesBelow(path: string, env: ExecutionEnvironment): Promise<string[]> {
  if ((await env.stat(path))?.kind !== "directory") return [path];
  const { paths, truncated } = await env.glob("**/*", path, { maxResults: MOST_MOVED, base: "/", hidden: true });
  if (truncated) throw new ToolFailure(`${shownPath(path, env)} has more than ${MOST_MOVED} files. Nothing was moved.`);
  if (paths.length === 0) throw new ToolFailure(`${shownPath(path, env)} has no files.`);
  return paths.map((found) => posix.resolve("/", found));
}
