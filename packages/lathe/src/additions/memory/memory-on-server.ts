// Memory on the user's own server, from the settings: its tools, and the hint of a new session.

import { basename } from "node:path";
import type { ToolDef } from "@lathe/agent";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { bankOf, Hindsight, hindsightSettings } from "./hindsight.ts";
import type { MemoryPlace } from "./memory-place.ts";
import { memoryTools } from "./memory-tools.ts";
import type { NoteJudge } from "./note-judge.ts";

/** Long, because the server asks a model of its own. */
const TIMEOUT_MS = 120_000;
const LONGEST_QUERY = 2_000;

/** How long a start waits for the hint; without an answer it has none. */
const HINT_WITHIN_MS = 5_000;

interface OnServer {
  readonly tools: readonly ToolDef[];
  /** The hint for a session's first message. `begins`: the first words of the session, if known. */
  readonly hint: (begins: string) => Promise<string>;
}

export function memoryOnServer(
  { settings, machine, userEnv, cwd, redactor }: SessionWorkspace,
  { place, judge, told }: { readonly place: MemoryPlace; readonly judge: NoteJudge; readonly told: Set<string> },
): OnServer {
  const address = settings["hindsight.apiUrl"];
  if (address === "")
    throw new Error(
      "memory.backend is hindsight, but no server is named. To name it: lathe config set hindsight.apiUrl <address>",
    );
  const server = new Hindsight({
    ...hindsightSettings(settings),
    ...bankOf(place.scoping, settings["hindsight.bankId"], basename(cwd)),
    address,
    token: userEnv["HINDSIGHT_API_TOKEN"] || undefined,
    told,
    fetch: (request) => machine.deps.fetch(request),
    now: machine.deps.now,
    digests: place.digests,
    judge,
    redactor,
  });
  const { host } = new URL(address);
  const tools = memoryTools({
    backend: async () => server,
    access: [{ kind: "network", host, chosen: true }],
    timeoutMs: TIMEOUT_MS,
  });
  const mostTokens = settings["memories.summaryInjectionTokenLimit"];
  const hint = async (begins: string): Promise<string> => {
    const query = begins.slice(0, LONGEST_QUERY) || `Decisions, conventions and traps of the project ${basename(cwd)}`;
    const late = AbortSignal.timeout(HINT_WITHIN_MS);
    return server.hint(query, mostTokens, late).catch((error: unknown) => {
      if (!late.aborted) throw error;
      throw new Error(
        `The memory server ${address} gave no answer within ${HINT_WITHIN_MS / 1000} s; this session has no hint.`,
      );
    });
  };
  return { tools, hint };
}
