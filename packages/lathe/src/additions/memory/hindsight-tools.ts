// The tools of memory over a server of the user's, as the settings name it.

import { basename } from "node:path";
import type { ToolDef } from "@lathe/agent";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { bankOf, Hindsight, hindsightSettings } from "./hindsight.ts";
import type { MemoryPlace } from "./memory-place.ts";
import { memoryTools } from "./memory-tools.ts";
import type { NoteJudge } from "./note-judge.ts";

/** The server asks a model of its own. */
const TIMEOUT_MS = 120_000;

export function hindsightTools(
  { settings, machine, userEnv, cwd }: SessionWorkspace,
  { place, judge, told }: { readonly place: MemoryPlace; readonly judge: NoteJudge; readonly told: Set<string> },
): readonly ToolDef[] {
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
  });
  const { host } = new URL(address);
  return memoryTools({
    backend: async () => server,
    access: [{ kind: "network", host, chosen: true }],
    timeoutMs: TIMEOUT_MS,
  });
}
