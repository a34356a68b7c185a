// What the author of an extension, a custom tool or a module hook imports: `import type { ExtensionApi } from "lathe/extension"`.
// Types only: nothing of it is there when the file runs. How they are used: docs/extensions.md.

export type * from "./api.ts";
export type * from "./context.ts";
export type * from "./events.ts";
export type * from "./provider.ts";
export type * from "./rendering.ts";
export type * from "./tool.ts";
export type * from "./ui.ts";
