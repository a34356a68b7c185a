// What the memory tools need, whether this machine's database or a server stores the memories.

export interface RetainRequest {
  readonly text: string;
  /** Paths as the model wrote them. */
  readonly files: readonly string[];
  /** Whether the note is for all projects. */
  readonly isShared: boolean;
}

export interface EditRequest {
  readonly id: number;
  /** If absent, the note is deleted. */
  readonly text?: string;
  readonly files: readonly string[];
}

/** Answers are texts for the model. Fails with ToolFailure if the model can do something about it. */
export interface MemoryBackend {
  recall(query: string, signal: AbortSignal): Promise<string>;
  reflect(query: string, context: string, signal: AbortSignal): Promise<string>;
  retain(what: RetainRequest, signal: AbortSignal): Promise<string>;
  edit(what: EditRequest, signal: AbortSignal): Promise<string>;
}

export const NONE_FOUND = "No relevant memories found.";
export const NOTHING_TO_REFLECT = "No relevant information found to reflect on.";
export const REFLECTED = "Based on recalled memories:";
