// Model families that misuse tools more often than others get extra rules ahead of their prompt, chosen by the model's
// name.

import discipline from "./prompts/tool-discipline.md";

/** Cursor's own models, whichever provider serves them. */
const WEAK_AT_TOOLS = /(?:^|[/.:_-])composer(?:$|[/.:_-])/i;

/** The rules that begin the system prompt; undefined for most models. */
export const disciplineFor = (model: string, isWanted = WEAK_AT_TOOLS.test(model)): string | undefined =>
  isWanted ? discipline.trim() : undefined;
