// Model families that misuse tools more often than others get rules for it ahead of their prompt, by what the model is called.

import discipline from "./prompts/tool-discipline.md";

/** Cursor's own models, whichever provider serves them. */
const WEAK_AT_TOOLS = /(?:^|[/.:_-])composer(?:$|[/.:_-])/i;

/** What stands before everything else in the system prompt; undefined for most models. */
export const disciplineFor = (model: string, isWanted = WEAK_AT_TOOLS.test(model)): string | undefined =>
  isWanted ? discipline.trim() : undefined;
