// The services that tools find in their context. A service from the host replaces the session's own.

import { beganWithBriefing } from "../context/compaction/briefing.ts";
import { Recall } from "../context/recall/recall.ts";
import type { AwaitedInput } from "../contract/events/types.ts";
import type { PendingActionService } from "../contract/pending-actions.ts";
import type { SessionTools } from "../contract/registry/session-tools.ts";
import type { SchemeRegistry } from "../contract/seams/schemes.ts";
import type { ToolServices } from "../contract/tool.ts";
import { PathLocks } from "../files/edit/locks.ts";
import { ShownFiles } from "../files/edit/shown-files.ts";
import { Syntax } from "../files/edit/syntax.ts";
import { Conflicts } from "../files/formats/conflict/conflicts.ts";
import { conflictScheme } from "../files/formats/conflict/view.ts";
import { builtinFormats } from "../files/formats/index.ts";
import { Parser } from "../files/parser/parser.ts";
import { localAddresses } from "../files/scratch/local-addresses.ts";
import { PageCache } from "../files/web/page-cache.ts";
import { artifactResolver } from "../record/artifacts/resolve.ts";
import type {} from "../tools/builtin/eval/cells.ts";
import { Jobs } from "../tools/run/jobs.ts";
import { LastingShell } from "../tools/run/lasting-shell.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "./facades.ts";
import { BranchFacts } from "./facts.ts";
import { imageInspector } from "./image-inspector.ts";
import { recordBilled, sideCall } from "./side-call.ts";

export interface BuiltServices {
  readonly services: ToolServices;
  readonly facts: BranchFacts;
}

/** The core of a session, before it has its toolbox. */
type UnequippedSession = SessionLog &
  HostChoices &
  ModelContext &
  Work & {
    readonly schemes: SchemeRegistry;
    /** The tools do not exist yet when the services are made. */
    readonly tools: Pick<SessionTools, "get">;
  };

export function buildServices(core: UnequippedSession, pendingActions: PendingActionService): BuiltServices {
  const facts = new BranchFacts(core);
  const conflicts = new Conflicts();
  // What the first request does not need is made on first use.
  let recall: Recall | undefined;
  let syntax: Syntax | undefined;
  const services: ToolServices = {
    get vision() {
      return core.profile.modelInfo?.supportsVision ?? false;
    },
    get commandTimes() {
      const { defaultCommandTimeoutMs, maxCommandTimeoutMs } = core.config;
      return { defaultMs: core.profile.shellTimeoutMs ?? defaultCommandTimeoutMs, maxMs: maxCommandTimeoutMs };
    },
    now: core.deps.now,
    get formats() {
      return builtinFormats;
    },
    conflicts,
    schemes: withOwn(core, core.schemes, conflicts),
    facts,
    jobs: new Jobs(() => core.config.maxJobs),
    get minimizesOutput() {
      return core.config.minimizeOutput;
    },
    get background() {
      const { asyncCommands, autoBackgroundMs, jobPollMs } = core.config;
      return { onRequest: asyncCommands, afterMs: autoBackgroundMs, pollMs: jobPollMs };
    },
    pendingActions,
    lastingShell: new LastingShell(facts),
    offersTool: (name) => core.tools.get(name) !== undefined,
    shownFiles: new ShownFiles(),
    pages: new PageCache(),
    pathLocks: new PathLocks(),
    get syntax() {
      syntax ??= new Syntax(core.deps.now);
      return syntax;
    },
    parser: new Parser(),
    get imageInspector() {
      return core.options.services?.images?.inspects ? imageInspector(core) : undefined;
    },
    sideModel: (role, call, signal) => sideCall(core, role, call, signal),
    recordBilled: (role, billed) => recordBilled(core, role, billed),
    get recall() {
      if (!core.journal.context.isShortened && !beganWithBriefing(core.journal)) return undefined;
      recall ??= new Recall(core.journal, beganWithBriefing(core.journal) ? core.options.earlierSessions?.() : []);
      return recall;
    },
    session: { awaitInput: (awaited) => core.awaitInput(awaited) },
  };
  // Getters stay live: copying by spread would freeze them.
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(core.options.services ?? {})))
    if (own.get || own.value !== undefined) Object.defineProperty(services, name, own);
  return { services, facts };
}

/** Adds the addresses that every session has, unless the host brings its own. */
function withOwn(core: SessionLog & HostChoices, schemes: SchemeRegistry, conflicts: Conflicts): SchemeRegistry {
  const known = schemes.names();
  if (!known.includes("artifact"))
    schemes.add(
      "artifact",
      artifactResolver(() => core.artifacts),
    );
  if (!known.includes("local"))
    schemes.add(
      "local",
      localAddresses(() => core.journal.folder, core.deps.random),
    );
  if (!known.includes("conflict")) schemes.add("conflict", conflictScheme(conflicts));
  return schemes;
}

declare module "../contract/tool.ts" {
  interface ToolServices {
    /** True if the model currently has a tool of this name. */
    readonly offersTool?: (name: string) => boolean;
    readonly session?: {
      /** Makes the session wait for the user's answer when the round is over. */
      awaitInput(awaited: AwaitedInput): void;
    };
  }
}
