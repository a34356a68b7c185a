// The coordinator lists what it offers, without a transport, a provider or a key.
import { ran } from "./started.mjs";

export async function smokeCoordinator(cli) {
  const { code, stdout, stderr } = await ran(cli, ["mcp-serve", "coordinator", "--check", "--json"]);
  if (code !== 0) return [`exit code ${code}. ${stderr.trim()}`];
  return JSON.parse(stdout).ok === true ? [] : [`it says: ${stdout.trim()}`];
}

/** Whether the command has a coordinator. */
export const hasCoordinator = async (cli) => /^ {2}mcp-serve /m.test((await ran(cli, ["--help"])).stdout);
