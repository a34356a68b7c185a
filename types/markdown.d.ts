/** Prompts, tool descriptions and programs for others are files; importing one gives its text (see scripts/source-loader.mjs and scripts/build.mjs). */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.py" {
  const text: string;
  export default text;
}
declare module "*.text" {
  const text: string;
  export default text;
}
