// A server's prompts as slash commands: `/mcp__server__prompt first second`. The prompt's text is sent as the user's
// message.

import type { InputContent } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import type { GetPromptResult } from "@modelcontextprotocol/client";
import type { PromptCommand } from "../../conversation/session-contract.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { ServerManager } from "./manager.ts";
import { promptName } from "./names.ts";
import type { Server } from "./server.ts";
import { failureText } from "./tools.ts";
import type { ListedPrompt } from "./types.ts";

export function promptCommands(manager: ServerManager): PromptCommand[] {
  return manager.servers.flatMap((server) =>
    (manager.definitions(server)?.prompts ?? []).map((prompt) => promptCommand(server, prompt)),
  );
}

function promptCommand(server: Server, prompt: ListedPrompt): PromptCommand {
  const { name, description, arguments: taken } = prompt;
  const command = promptName(server.name, name);
  return {
    name: command,
    ...(taken.length === 0
      ? {}
      : { arguments: taken.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(" ") }),
    description: `${(description ?? name).split("\n")[0]} (${server.name})`,
    expand: async (argument) => {
      const args = argumentsOf(command, prompt, argument);
      const signal = new AbortController().signal; // the server's own deadline applies
      const given = await server
        .request(signal, (client, options) => client.getPrompt({ name, arguments: args }, options))
        .catch((error: unknown) => {
          throw new CliError(EXIT.failed, failureText(server, error), { cause: error });
        });
      return inputOf(given);
    },
  };
}

/** Words or quoted texts, in the order of the prompt's arguments; the last argument takes the rest. */
function argumentsOf(command: string, { arguments: taken }: ListedPrompt, typed: string): Record<string, string> {
  const words = [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const rest =
    words.length > taken.length
      ? [...words.slice(0, taken.length - 1), words.slice(taken.length - 1).join(" ")]
      : words;
  const missing = taken.find(({ required }, i) => required && rest[i] === undefined);
  if (missing) throw usageError(`/${command} needs ${missing.name}. Write it after the command.`);
  return Object.fromEntries(taken.flatMap(({ name }, i) => (rest[i] === undefined ? [] : [[name, rest[i]]])));
}

/** A single string if there is only text. */
function inputOf({ messages }: GetPromptResult): InputContent {
  const parts = messages.map(({ role, content }) => partOf(content, role));
  if (parts.every((part) => part.kind === "text")) return parts.map((part) => part.text).join("\n\n");
  return parts;
}

function partOf(
  block: GetPromptResult["messages"][number]["content"],
  role: string,
): ContentPart & ({ kind: "text" } | { kind: "image" }) {
  if (block.type === "image")
    return { kind: "image", image: { data: Buffer.from(block.data, "base64"), mediaType: block.mimeType } };
  const text =
    block.type === "text"
      ? block.text
      : block.type === "resource" && "text" in block.resource
        ? block.resource.text
        : `[${block.type}]`;
  return { kind: "text", text: (role === "assistant" ? `Assistant: ${text}` : text).toWellFormed() };
}
