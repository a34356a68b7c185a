// The suite imports `globSync` from node:fs, which Node 20 lacks and client scenarios do not use, so this provides an
// empty one.
import { register } from "node:module";

const HOOKS = `
export async function resolve(specifier, context, next) {
  if ((specifier === "fs" || specifier === "node:fs") && context.parentURL?.includes("/conformance/dist/"))
    return { url: "lathe:fs", shortCircuit: true };
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== "lathe:fs") return next(url, context);
  const source = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];';
  return { format: "module", source, shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
