// Signs in at a broker on another machine: over ssh, forwarding the port that the browser on this machine is redirected
// to.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { OAuthRow } from "../../../config/credentials/oauth/rows.ts";
import { PROVIDER } from "../../../doors/broker/server/handlers.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../../platform/usage/exit.ts";

/** Matches nothing that ssh would take for an option, or a shell for more than one word. */
const DESTINATION = /^(?:[A-Za-z0-9_][\w.+-]*@)?(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.]+\])$/;
/** For issuers that accept any loopback port. */
const ANY_PORT = 54_330;

export interface LoginOver {
  readonly row: OAuthRow | undefined;
  readonly via: string;
  readonly account: string | undefined;
  readonly isDry: boolean;
}

export async function loginOver(machine: Machine, { row, via, account, isDry }: LoginOver): Promise<ExitCode> {
  if (!DESTINATION.test(via)) throw usageError("--via takes user@host, such as lathe@broker.example.");
  if (row === undefined)
    throw usageError("--via signs in where oauth.yml has a row. Give a key on that machine: lathe auth-broker login");
  if (!PROVIDER.test(row.provider))
    throw usageError("The vault keeps providers whose names have letters, digits and . _ - only.");
  const words = wordsOf(row, via, account);
  if (isDry) {
    machine.stdout.write(`ssh ${words.join(" ")}\n`);
    return EXIT.done;
  }
  const child = spawn("ssh", words, {
    cwd: machine.cwd,
    env: machine.env,
    // No input is needed: the browser is redirected to the forwarded port.
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (text: Buffer) => void machine.stdout.write(text.toString("utf8")));
  child.stderr.on("data", (text: Buffer) => void machine.stderr.write(text.toString("utf8")));
  const [code] = await once(child, "close").catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      error.code === "ENOENT" ? "There is no ssh here. Install OpenSSH." : `ssh cannot be started: ${error.message}.`,
    );
  });
  if (code === 0) return EXIT.done;
  throw new CliError(
    EXIT.provider,
    `Signing in over ssh failed: ssh ended with ${code ?? "a signal"}. See its output above.`,
  );
}

function wordsOf({ provider, deviceUrl, redirectPort = 0 }: OAuthRow, via: string, account: string | undefined) {
  const port = redirectPort === 0 ? ANY_PORT : redirectPort;
  // With a device code there is no redirect, so no port is forwarded.
  const forward = deviceUrl === undefined ? ["-L", `${port}:127.0.0.1:${port}`] : [];
  const login = ["lathe", "auth-broker", "login", provider];
  const at = deviceUrl === undefined && redirectPort === 0 ? ["--redirect-port", String(port)] : [];
  return [...forward, via, ...login, ...(account === undefined ? [] : ["--account", account]), ...at];
}
