// A browser that does not tell pages that it is automated: no sign of automation, and no "Headless" in its user agent, which its workers
// share. All of it are flags of the session's own browser: one that was attached to stays as it is.

import { LocalEnvironment } from "@lathe/agent";
import { quoteShell } from "@lathe/agent/world";

const VERSION_MS = 10_000;

export async function stealthFlags(program: string): Promise<string[]> {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
  try {
    const { stdout } = await env.execCommand(`${quoteShell(program)} --version`, VERSION_MS, { internal: true });
    const major = /(\d+)\.\d+\.\d+\.\d+/.exec(stdout)?.[1];
    // The rest of the version is zero in what Chrome itself says.
    const system = process.platform === "darwin" ? "Macintosh; Intel Mac OS X 10_15_7" : "X11; Linux x86_64";
    const agent = `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
    return ["--disable-blink-features=AutomationControlled", ...(major ? [`--user-agent=${agent}`] : [])];
  } finally {
    await env.cleanup();
  }
}
