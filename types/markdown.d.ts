/** Prompts and tool descriptions are files; importing one gives its text (see scripts/source-loader.mjs and scripts/build.mjs). */
declare module "*.md" {
  const text: string;
  export default text;
}
