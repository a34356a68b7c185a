// The browser as an addition to sessions: the service behind the tool `browser`. The browser's code is loaded with the
// first tab.

import { LocalEnvironment } from "@lathe/agent";
import type { BrowserService } from "@lathe/agent/tools";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { Tabs } from "./tabs.ts";

const PROBE_MS = 10_000;

export const browserAddition: AdditionMaker = async ({ userEnv, settings }) => {
  let isAllowed: (host: string) => boolean = () => false;
  let isShown: (url: string) => boolean = () => false;
  let notify: (message: string) => void = () => {};
  let tabs: Promise<Tabs> | undefined;
  let confined: Promise<boolean> | undefined;
  const isConfined = (): Promise<boolean> => {
    confined ??= canConfine();
    return confined;
  };
  const load = (): Promise<Tabs> => {
    tabs ??= import("./tabs.ts").then(
      ({ Tabs: Made }) =>
        new Made({
          variables: userEnv,
          headless: settings["browser.headless"],
          isStealthy: settings["browser.stealth"],
          screenshotDir: settings["browser.screenshotDir"] || undefined,
          isConfined,
          isAllowed: (host) => isAllowed(host),
          isShown: (url) => isShown(url),
          notify: (message) => notify(message),
        }),
    );
    return tabs;
  };
  const browser: BrowserService = {
    isConfined,
    reachOf: async (name) => (await tabs)?.reachOf(name),
    run: async (request, context) => (await load()).run(request, context),
  };
  return {
    name: "browser",
    services: { browser, screenshots: new Map() },
    opened: ({ session, permissions }) => {
      notify = (message) => session.warn(message, "browser");
      isAllowed = (host) =>
        permissions.isAllowedNow({ tool: "browser", tier: "network", access: [{ kind: "network", host }] });
      isShown = (url) => permissions.shown?.isShown(url) ?? false;
    },
    closing: async () => (await tabs)?.end(),
  };
};

/** Bubblewrap may be missing, or the system may forbid it. */
async function canConfine(): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { CONFINEMENT_PROBE } = await import("./confinement.ts");
  const env = new LocalEnvironment({ cwd: "/", baseEnv: {} });
  try {
    const [program, ...args] = CONFINEMENT_PROBE;
    const { exitCode } = await env.execCommand([program, ...args].join(" "), PROBE_MS, { internal: true });
    return exitCode === 0;
  } finally {
    await env.cleanup();
  }
}
