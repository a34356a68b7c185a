// The output of a command as the model gets it: minimized when that pays, with the raw output in an artifact.

import type { ArtifactRef, ToolContext } from "../../../contract/tool.ts";
import { artifactNotice } from "../../../record/artifacts/notice.ts";
import { minimize } from "./minimize.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Outputs are shortened to what is worth reading. */
    readonly minimizesOutput?: boolean;
  }
}

/** An output that was shortened, and where the raw one is. */
export interface MinimizedOutput {
  readonly text: string;
  /** For the model, below the output. */
  readonly footer: string;
  readonly artifact: ArtifactRef;
}

/** What was printed: as text to read, and raw. */
export interface PrintedOutput {
  readonly plain: string;
  readonly raw: string;
  /** Holds the whole raw output already, when `raw` does not. */
  readonly artifact?: ArtifactRef | undefined;
}

/** Undefined: the output stays as it is. */
export async function minimizedOutput(
  context: Pick<ToolContext, "services" | "openArtifact">,
  command: string,
  { plain, raw, artifact }: PrintedOutput,
): Promise<MinimizedOutput | undefined> {
  // Bytes that are no text could not be given back.
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

/** What cannot be kept is not left out either. */
async function store(
  { openArtifact }: Pick<ToolContext, "openArtifact">,
  raw: string,
): Promise<ArtifactRef | undefined> {
  try {
    const writer = openArtifact("bash-original");
    writer.write(Buffer.from(raw, "utf8"));
    return await writer.close();
  } catch {
    return undefined; // a full disk: the model gets the output as it is
  }
}
