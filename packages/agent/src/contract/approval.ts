// The answer to an approval request.

/** How an approval request was answered; `by` names the person or program that answered. */
export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  readonly by: string;
  readonly reason?: string | undefined;
  /** The rules that the answer added; the journal records them. */
  readonly remembered?: readonly string[] | undefined;
}
