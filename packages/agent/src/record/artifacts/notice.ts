// How the model is told where the whole of a shortened output is: one wording for every tool and report.

/** `size` says how much it is, such as "99999 lines"; an output that is large enough to count is best read in parts. */
export function artifactNotice(id: number, size?: string): string {
  const address = `artifact://${id}`;
  if (size === undefined) return `[Full output: ${address}]`;
  return `[Full output, ${size}: ${address}. Read parts of it: ${address}:1-200 by lines or ${address}:chars=1-20000 by characters.]`;
}

export const unsavedNotice = (why: string): string => `[Full output could not be saved: ${why}]`;

/** What the tool itself said: the notice is for the model. */
export const withoutArtifactNotice = (text: string): string =>
  text.replace(/\n\[Full output(?:, [^\n]*)?: artifact:\/\/[^\n]*\]$/, "");
