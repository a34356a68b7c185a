import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Access, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { quoteShell } from "../../../world/env/shell-quote.ts";
import type { ExecResult, ExecutionEnvironment } from "../../../world/env/types.ts";
import { plainOutput } from "../../run/plain-output.ts";
import { lazyArtifact, refuseEmpty } from "../../run/run-command.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { shellCard } from "../shell/card.ts";
import description from "./description.md";

/** The machines that can be reached, by name. */
export interface SshHosts {
  readonly names: readonly string[];
  /** The address that is dialled, for permissions; undefined for an unknown name. */
  address(name: string): string | undefined;
  /** Connects on first use. Fails with ToolFailure before it dials if the host cannot be used. */
  environment(name: string): Promise<ExecutionEnvironment>;
}

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 3600;

const params = {
  host: text("Name of the host"),
  command: text("The command, for the shell of the host"),
  cwd: optional(text("Directory on the host to run it in")),
  timeout: optional(integer(`Seconds it may take; ${DEFAULT_SECONDS} when not given`)),
};

/** Makes the tool that runs commands on named hosts; add it to the `tools` of a session. */
export const sshTool = (hosts: SshHosts): ToolDef => definition(hosts) as unknown as ToolDef;

const definition = (hosts: SshHosts): ToolDef<StaticFields<typeof params>> => ({
  name: "ssh",
  label: "Run remotely",
  description: description.trim().replace("{{hosts}}", () => hosts.names.join(", ")),
  schema: object(params),
  tier: "exec",
  replay: "never",
  exclusive: true,
  // The command has its own deadline.
  timeoutMs: 0,
  output: SHELL_OUTPUT,
  access: ({ host, command, cwd = "~" }): readonly Access[] => [
    { kind: "network", host: hosts.address(host) ?? host },
    { kind: "exec", command, cwd, doubt: `it runs on ${host}` },
  ],
  summary: ({ host, command }) => `${host}: ${command}`,
  card: ({ host, command }, result) => ({ ...shellCard(`${host}: ${command}`, result), canDetach: false }),
  async execute({ host, command, cwd, timeout = DEFAULT_SECONDS }, context) {
    refuseEmpty(command);
    const env = await hosts.environment(host);
    const seconds = Math.min(Math.max(timeout, 1), MOST_SECONDS);
    const spill = lazyArtifact(context, "ssh");
    const { signal, onOutput } = context;
    const options = { signal, onOutput, spill, interleaved: true };
    const result = await env.execCommand(inDirectory(command, cwd), seconds * 1000, options);
    return { ...resultOf(command, result, seconds), ...(await spill.close()) };
  },
});

/** A leading `~` is left for the shell to expand. */
function inDirectory(command: string, cwd = "~"): string {
  const [, home = "", rest = ""] = /^(~[^/]*\/?)?(.*)$/s.exec(cwd) ?? [];
  const target = `${home}${rest === "" ? "" : quoteShell(rest)}`;
  return `cd -- ${target} && {\n${command}\n}`;
}

function resultOf(command: string, result: ExecResult, seconds: number): ToolResult {
  const { exitCode, timedOut, aborted, durationMs } = result;
  const output = plainOutput(result.output).replace(/\n$/, "");
  const ending = timedOut
    ? `[SSH: the command was ended after ${seconds} s]`
    : aborted
      ? `[Command aborted: after ${durationMs} ms]`
      : exitCode === 0
        ? ""
        : `Command exited with code ${exitCode}`;
  const shown =
    output === "" && ending === "" ? "(no output)" : [output, ending].filter((part) => part !== "").join("\n");
  return {
    content: [{ kind: "text", text: shown }],
    details: { command, exitCode, duration: durationMs, timedOut },
    isError: exitCode !== 0 || timedOut || aborted,
    effects: timedOut || aborted ? "unknown" : "done",
  };
}
