// The notice that tells the model where to find the whole of a shortened output: one wording for every tool and report.

/** `size` describes its length, such as "99999 lines"; an output worth counting is best read in parts. */
export function artifactNotice(id: number, size?: string): string {
  const address = `artifact://${id}`;
  if (size === undefined) return `[Full output: ${address}]`;
  return `[Full output, ${size}: ${address}. Read parts of it: ${address}:1-200 by lines or ${address}:chars=1-20000 by characters.]`;
}

export const unsavedNotice = (why: string): string => `[Full output could not be saved: ${why}]`;

/** The tool's own text, without the notice, which is only for the model. */
export const withoutArtifactNotice = (text: string): string =>
  text.replace(/\n\[Full output(?:, [^\n]*)?: artifact:\/\/[^\n]*\]$/, "");
