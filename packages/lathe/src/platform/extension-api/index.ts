// What the author of an extension, a custom tool or a module hook imports: `import type { ExtensionApi } from
// "lathe/extension"`. It holds types only, so nothing of it exists at run time. For their use see docs/extensions.md.

export type * from "./api.ts";
export type * from "./context.ts";
export type * from "./events.ts";
export type * from "./provider.ts";
export type * from "./rendering.ts";
export type * from "./tool.ts";
export type * from "./ui.ts";
