// What the tools of memory ask for, whoever keeps it: the database of this machine, or a server.

export interface RetainRequest {
  readonly text: string;
  /** As the model named them. */
  readonly files: readonly string[];
  /** For all projects. */
  readonly isShared: boolean;
}

export interface EditRequest {
  readonly id: number;
  /** Absent: it is forgotten. */
  readonly text?: string;
  readonly files: readonly string[];
}

/** Answers are texts for the model. Fails with ToolFailure where the model can do something about it. */
export interface MemoryBackend {
  recall(query: string, signal: AbortSignal): Promise<string>;
  reflect(query: string, context: string, signal: AbortSignal): Promise<string>;
  retain(what: RetainRequest, signal: AbortSignal): Promise<string>;
  edit(what: EditRequest, signal: AbortSignal): Promise<string>;
}

export const NONE_FOUND = "No relevant memories found.";
export const NOTHING_TO_REFLECT = "No relevant information found to reflect on.";
export const REFLECTED = "Based on recalled memories:";
