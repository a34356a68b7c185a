import type { ModelInfo } from "../types/model.ts";
export const builtinCatalog: { get(provider: string, id: string): ModelInfo | undefined } = { get: () => undefined };
