// The answers to a question about a call that apply to more than that call.

/**
 * How far an answer applies: rules in this project, or every call of the tool inside the roots until the session ends.
 */
export type Width = "pattern" | "tool";

/** The answers beyond this one call that the user may give. */
export interface Offers {
  /** Rules that would allow calls like this one in this project. */
  readonly pattern?: readonly string[];
  /** How long they last; 0 means until the session ends. */
  readonly days?: number;
  readonly tool: boolean;
}
