// The answers to a question about a call that reach beyond it.

/** How far an answer reaches: rules in this project, or every call of the tool inside the roots while the session lasts. */
export type Width = "pattern" | "tool";

/** The answers beyond this one call that a person may give. */
export interface Offers {
  /** Rules that would allow calls like this one in this project. */
  readonly pattern?: readonly string[];
  /** How long they hold; 0: until the session ends. */
  readonly days?: number;
  readonly tool: boolean;
}
