// How a question about a call was answered.

/** How an approval request was answered; `by` names who answered. */
export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  readonly by: string;
  readonly reason?: string | undefined;
  /** Rules that the answer added, for the journal. */
  readonly remembered?: readonly string[] | undefined;
}
