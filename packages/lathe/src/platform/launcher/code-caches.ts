// Finds the folder for the packs' compiled code. A pack's name contains the hash of its content, so a cache never meets
// another source.

/**
 * Both paths end with a slash. A subcommand (`command`) has its own caches, because it uses little of the start pack.
 */
export function codeCaches(command: string): { readonly cacheRoot: string; readonly caches: string } {
  const { env, version, arch } = process;
  const home = env["LATHE_HOME"] || `${env["HOME"] || process.getBuiltinModule("node:os").homedir()}/.lathe`;
  const cacheRoot = `${home}/cache/code/`;
  return { cacheRoot, caches: `${cacheRoot}${LATHE_VERSION}-${version}-${arch}/${command}` };
}
