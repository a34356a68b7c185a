// Runs TypeScript sources without a build: node --conditions=lathe-source --import ./scripts/source-loader.mjs file.ts.
// Adds to tsx what the bundler does: a markdown file is a module whose default export is its text.
import { register } from "node:module";
import "tsx";

register("./markdown-hook.mjs", import.meta.url);
