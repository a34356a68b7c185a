// Splits a tool's output: the model gets a bounded text, the event up to 1 MiB. Whatever is cut goes into an artifact,
// and the model is told how to read it.

import { messageOf } from "@lathe/llm";
import type { ArtifactRef } from "../../contract/tool.ts";
import { artifactNotice } from "../../record/artifacts/notice.ts";
import type { SessionLog } from "../facades.ts";

const EVENT_BYTES = 1024 * 1024;
/** We keep the end because it shows the result: an exit code, the last error. */
const EVENT_TAIL = 64 * 1024;

export interface KeptOutput {
  readonly forModel: string;
  readonly forHost: string;
  readonly artifact?: ArtifactRef;
}

export async function keepOutput(
  core: SessionLog,
  tool: string,
  output: { full: string; forModel: string; artifact: ArtifactRef | undefined },
): Promise<KeptOutput> {
  const { full, forModel, artifact } = output;
  const fits = full.length <= EVENT_BYTES;
  const isShortened = forModel !== full;
  // A tool that made its own artifact has already named it in its output.
  const stored = artifact === undefined && (isShortened || !fits) ? await store(core, tool, full) : undefined;
  const kept = artifact ?? stored;
  return {
    forModel: isShortened && stored ? `${forModel}\n${artifactNotice(stored.id, sizeOf(full))}` : forModel,
    forHost: fits ? full : endsOf(full),
    ...(kept ? { artifact: kept } : {}),
  };
}

const sizeOf = (full: string): string => `${full.length} characters in ${full.split("\n").length} lines`;

function endsOf(full: string): string {
  const marker = `\n[... ${full.length - EVENT_BYTES} or more characters are omitted here ...]\n`;
  return full.slice(0, EVENT_BYTES - EVENT_TAIL - marker.length) + marker + full.slice(-EVENT_TAIL);
}

/** A call must not fail because its whole output cannot be stored. */
async function store(core: SessionLog, tool: string, full: string): Promise<ArtifactRef | undefined> {
  try {
    const writer = core.artifacts.open(tool);
    writer.write(Buffer.from(full, "utf8"));
    return await writer.close();
  } catch (error) {
    core.warn(`the whole output of ${tool} could not be saved: ${messageOf(error)}`, "artifact");
    return undefined;
  }
}
