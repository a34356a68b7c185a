// Where reviewers work: in a view of the project, so that their actions do not reach it, or, if no view is possible,
// with read-only tools. In both cases the mode is read-only, whatever the session and the agents' files allow.

import { join } from "node:path";
import {
  type AgentType,
  EnvError,
  type ExecutionEnvironment,
  type Middleware,
  ReadOnlyEnvironment,
} from "@lathe/agent";
import { openView, type View } from "@lathe/agent/files";
import { judge } from "@lathe/agent/policy";
import { personalIgnoreFile } from "@lathe/agent/world";
import { storeOf } from "../../changes/isolation/view-store.ts";
import { hostOptions, sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { allowedTools } from "../../found/agents/agent-tools.ts";
import type { Permissions } from "../../found/permissions/permissions.ts";
import { SearchGuard } from "../../found/permissions/search-guard.ts";
import type { Git } from "./git.ts";
import { differencesFrom } from "./reviewed-files.ts";
import type { Change } from "./types.ts";

export interface ReviewPlace {
  /** The kind of the view; `none` without one. */
  readonly kind: string;
  readonly env: ExecutionEnvironment;
  /** Whether the files there are those of the reviewed tree. */
  readonly isAsReviewed: boolean;
  narrow(type: AgentType): AgentType;
  close(): Promise<void>;
}

export interface PlaceParts {
  readonly workspace: Workspace;
  readonly permissions: Permissions;
  /** The environment of the session. */
  readonly env: ExecutionEnvironment;
  readonly git: Git;
  readonly id: string;
  readonly signal: AbortSignal;
}

export async function openPlace(parts: PlaceParts, change: Change): Promise<ReviewPlace> {
  const { permissions, workspace, git } = parts;
  const rights = readOnlyMiddleware(workspace, change.top);
  const differing = change.end === undefined ? NO_DIFFERENCE : await differencesFrom(git, change.end);
  const isSame = differing.absent.length + differing.other.length === 0;
  const view = await viewOf(parts, change.top);
  if (!view) {
    const onlyReads = allowedTools(["@read"], []);
    return {
      kind: workspace.view?.kind ?? "none",
      env: new ReadOnlyEnvironment(parts.env),
      isAsReviewed: isSame,
      narrow: (type) => confineType(type, rights, (tool) => onlyReads?.(tool) ?? false),
      close: async () => {},
    };
  }
  try {
    if (change.end !== undefined && !isSame) await showCommit(view.env, git, change.top, change.end, differing);
  } catch (error) {
    await view.close();
    throw error;
  }
  return {
    kind: view.kind,
    env: new ReadOnlyEnvironment(new SearchGuard(view.env, permissions)),
    isAsReviewed: true,
    narrow: (type) => confineType(type, rights, () => true),
    close: () => view.close(),
  };
}

const NO_DIFFERENCE = { absent: [], other: [] };

async function viewOf({ workspace, id, signal }: PlaceParts, root: string): Promise<View | undefined> {
  // A view of the project would lack the changes that the run has made in its own view.
  if (workspace.view) return undefined;
  try {
    return await openView({
      root,
      kind: "auto",
      id,
      store: storeOf(workspace, root),
      host: hostOptions(workspace, () => {}),
      sandbox: sandboxOptions(workspace),
      personalIgnores: personalIgnoreFile(workspace.env),
      signal,
    });
  } catch (error) {
    // If there are no namespaces, no disk space, or the folder allows no view, read-only tools are enough.
    if (error instanceof EnvError) return undefined;
    throw error;
  }
}

/** Writes the files that differ. Links and submodules stay as they are on disk. */
async function showCommit(
  env: ExecutionEnvironment,
  git: Git,
  top: string,
  commit: string,
  { absent, other }: Awaited<ReturnType<typeof differencesFrom>>,
): Promise<void> {
  for (const path of absent) if (await env.fileExists(join(top, path))) await env.deleteFile(join(top, path));
  for (const path of other) {
    const [mode] = ((await git.text(["ls-tree", commit, "--", path])) ?? "").split(" ", 1);
    if (mode !== "100644" && mode !== "100755") continue;
    const { exitCode, stdout } = await git.ask(["cat-file", "blob", `${commit}:${path}`]);
    if (exitCode === 0) await env.writeFile(join(top, path), stdout);
  }
}

/** Restricts the agent type's tools and keeps it from starting agents. */
function confineType(type: AgentType, rights: Middleware, isOffered: NonNullable<AgentType["allows"]>): AgentType {
  return {
    ...type,
    spawns: [],
    isolation: undefined,
    verify: undefined,
    allows: (tool) => tool.feature !== "agents" && (type.allows?.(tool) ?? true) && isOffered(tool),
    middleware: [...(type.middleware ?? []), rights],
  };
}

function readOnlyMiddleware({ machine, paths }: Workspace, top: string): Middleware {
  const places = { roots: [top], userHome: machine.userHome, latheHome: paths.home };
  return {
    name: "review",
    approve: ({ tool, tier, access }) => {
      const { decision, reason } = judge({ tool: tool.name, tier, access }, { mode: "read-only", rules: [], places });
      return decision === "deny" ? { decision, by: "review", reason } : undefined;
    },
  };
}
