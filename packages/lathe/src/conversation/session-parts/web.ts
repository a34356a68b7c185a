// Access to the web: one gate for every connection that the session makes.

import { mirroredGate, type WebGate, type WebServices, webGate } from "@lathe/agent/files";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function webPart({
  workspace,
  env,
  session,
  permissions,
}: Pick<SessionBase, "workspace" | "env" | "session" | "permissions">): SessionPart {
  const { settings } = workspace;
  const untold = mirroredGate(
    webGate({
      env,
      allowPrivate: settings["web.allowPrivate"],
      variables: workspace.userEnv,
      onNotice: (message) => session.warn(message, "web"),
    }),
    settings["web.mirrors"],
  );
  const gate = typedFirst(untold, () => permissions.shown?.readTyped());
  const reader = settings["web.reader"];
  if (reader !== "") gate.openTyped(reader);
  permissions.shown?.followTyped((address) => gate.openTyped(address));
  permissions.followOpened((address) => gate.openTyped(address));
  const fetch: WebServices["fetch"] = {
    redirectProblem: (from, to, isLoopback) => permissions.redirectProblem(from, to, isLoopback),
  };
  const web = { gate, fetch, tokens: siteTokens(workspace.env), reader };
  return { name: "web", services: { web } };
}

/** Before the gate judges an address, it reads what the user has typed from the journal. */
const typedFirst = (gate: WebGate, readTyped: () => void): WebGate => ({
  ...gate,
  isClosed(host, port) {
    readTyped();
    return gate.isClosed(host, port);
  },
  inside: (env) => typedFirst(gate.inside(env), readTyped),
});

/**
 * Tokens for sites whose pages are read through their APIs. A CI runner's GITHUB_TOKEN is only for the server that the
 * runner names.
 */
function siteTokens(variables: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const server = variables["GITHUB_SERVER_URL"] || "https://github.com";
  const github = server === "https://github.com" ? variables["GITHUB_TOKEN"] || variables["GH_TOKEN"] : undefined;
  const gitlab = variables["GITLAB_TOKEN"];
  return {
    ...(github ? { "https://api.github.com": github } : {}),
    ...(gitlab ? { "https://gitlab.com": gitlab } : {}),
  };
}
