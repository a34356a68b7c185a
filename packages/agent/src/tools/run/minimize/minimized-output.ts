// The output of a command for the model: minimized if that pays, with the raw output in an artifact.

import type { ArtifactRef, ToolContext } from "../../../contract/tool.ts";
import { artifactNotice } from "../../../record/artifacts/notice.ts";
import { minimize } from "./minimize.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Whether outputs are minimized. */
    readonly minimizesOutput?: boolean;
  }
}

/** An output that was minimized, and where the raw one is. */
export interface MinimizedOutput {
  readonly text: string;
  /** A note for the model below the output. */
  readonly footer: string;
  readonly artifact: ArtifactRef;
}

/** The output as readable text and raw. */
export interface PrintedOutput {
  readonly plain: string;
  readonly raw: string;
  /** Contains the whole raw output, if `raw` does not. */
  readonly artifact?: ArtifactRef | undefined;
}

/** Undefined if the output should stay unchanged. */
export async function minimizedOutput(
  context: Pick<ToolContext, "services" | "openArtifact">,
  command: string,
  { plain, raw, artifact }: PrintedOutput,
): Promise<MinimizedOutput | undefined> {
  // Bytes that are no text could not be restored.
  if (!context.services.minimizesOutput || raw.includes("\ufffd")) return undefined;
  const shorter = minimize(command, plain);
  if (!shorter) return undefined;
  const kept = artifact ?? (await store(context, raw));
  if (!kept) return undefined;
  const { text, dropped } = shorter;
  const gone =
    dropped === 0
      ? ""
      : `[${dropped} ${dropped === 1 ? "line that reports" : "lines that report"} success or progress left out]\n`;
  return { text, footer: `${gone}${artifactNotice(kept.id)}\n`, artifact: kept };
}

/** Output that cannot be stored is not omitted either. */
async function store(
  { openArtifact }: Pick<ToolContext, "openArtifact">,
  raw: string,
): Promise<ArtifactRef | undefined> {
  try {
    const writer = openArtifact("bash-original");
    writer.write(Buffer.from(raw, "utf8"));
    return await writer.close();
  } catch {
    return undefined; // a full disk: the model gets the whole output
  }
}
