// The types for authors of an extension, a custom tool or a module hook: `import type { ExtensionApi } from
// "lathe/extension"`. There are only types, so nothing of it exists at run time. For their use see docs/extensions.md.

export type * from "./api.ts";
export type * from "./context.ts";
export type * from "./events.ts";
export type * from "./provider.ts";
export type * from "./rendering.ts";
export type * from "./tool.ts";
export type * from "./ui.ts";
