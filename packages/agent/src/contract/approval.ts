// How a question about a call was answered.

export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  readonly by: string;
  readonly reason?: string;
}
