// Flags that hide automation from pages: no automation markers, and no "Headless" in the user agent, which workers
// share. They apply only to the session's own browser: one that the session attached to stays as it is.

import { LocalEnvironment } from "@lathe/agent";
import { quoteShell } from "@lathe/agent/world";

const VERSION_MS = 10_000;

export async function stealthFlags(program: string): Promise<string[]> {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
  try {
    const { stdout } = await env.execCommand(`${quoteShell(program)} --version`, VERSION_MS, { internal: true });
    const major = /(\d+)\.\d+\.\d+\.\d+/.exec(stdout)?.[1];
    // Chrome itself reports zeros for the rest of the version.
    const system = process.platform === "darwin" ? "Macintosh; Intel Mac OS X 10_15_7" : "X11; Linux x86_64";
    const agent = `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
    return ["--disable-blink-features=AutomationControlled", ...(major ? [`--user-agent=${agent}`] : [])];
  } finally {
    await env.cleanup();
  }
}
