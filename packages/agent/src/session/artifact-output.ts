// What of a tool's output goes where: the model gets a bounded text, the event up to 1 MiB, the rest an artifact.

import type { ArtifactRef } from "../tools/types.ts";
import type { SessionCore } from "./core.ts";

const EVENT_BYTES = 1024 * 1024;

export interface KeptOutput {
  readonly forModel: string;
  readonly forHost: string;
  readonly artifact?: ArtifactRef;
}

export async function keepOutput(
  core: SessionCore,
  tool: string,
  output: { full: string; forModel: string; artifact: ArtifactRef | undefined },
): Promise<KeptOutput> {
  const { full, forModel, artifact } = output;
  if (full.length <= EVENT_BYTES) return { forModel, forHost: full, ...(artifact ? { artifact } : {}) };
  return { forModel, forHost: full.slice(0, EVENT_BYTES), artifact: artifact ?? (await store(core, tool, full)) };
}

async function store(core: SessionCore, tool: string, full: string): Promise<ArtifactRef> {
  const writer = core.artifacts.open(tool);
  writer.write(Buffer.from(full, "utf8"));
  return writer.close();
}
