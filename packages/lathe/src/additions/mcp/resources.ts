// `mcp://server/<address>` reads a resource of a server like a file. `mcp://server` lists what the server has, `mcp://`
// the servers.

import type { SchemeContent, SchemeResolver } from "@lathe/agent/contract";
import type { ServerManager } from "./manager.ts";
import type { Server } from "./server.ts";
import { failureText } from "./tools.ts";

const ADDRESS = /^mcp:\/\/([^/]*)\/?(.*)$/s;

export function mcpScheme(manager: ServerManager): SchemeResolver {
  return {
    read: async (url, signal) => {
      const [, name = "", address = ""] = ADDRESS.exec(url) ?? [];
      if (name === "") return serverList(manager);
      const server = manager.server(decodeURIComponent(name));
      if (!server) throw new Error(`There is no MCP server ${name}. ${knownServers(manager)}`);
      try {
        return address === "" ? await listResources(manager, server, signal) : await resource(server, address, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw new Error(failureText(server, error), { cause: error });
      }
    },
  };
}

const knownServers = ({ servers }: ServerManager): string => `Known: ${servers.map(({ name }) => name).join(", ")}.`;

function serverList(manager: ServerManager): string {
  return manager.servers.map(({ name, state }) => `mcp://${encodeURIComponent(name)} (${state.kind})`).join("\n");
}

async function listResources(manager: ServerManager, server: Server, signal: AbortSignal): Promise<string> {
  const { resources, templates } = await server.request(signal, async (client, options) => {
    const [listed, patterns] = await Promise.all([
      client.listResources({}, options),
      // Servers without templates may not know the request.
      client.listResourceTemplates({}, options).catch(() => ({ resourceTemplates: [] })),
    ]);
    return { resources: listed.resources, templates: patterns.resourceTemplates };
  });
  const lead = `mcp://${encodeURIComponent(server.name)}/`;
  const line = (address: string, name: string, description = ""): string =>
    `${lead}${address} ${[name, description].filter((text) => text !== "").join(": ")}`;
  const instructions = manager.definitions(server)?.instructions;
  return [
    ...(instructions === undefined ? [] : [instructions, ""]),
    `Resources of ${server.name}:`,
    ...resources.map(({ uri, name, description }) => line(uri, name, description)),
    ...templates.map(({ uriTemplate, name, description }) => line(uriTemplate, name, description)),
  ].join("\n");
}

/** A resource with several parts is read as one text. */
async function resource(server: Server, address: string, signal: AbortSignal): Promise<SchemeContent | string> {
  const { contents } = await server.request(signal, (client, options) =>
    client.readResource({ uri: address }, options),
  );
  const [first] = contents;
  if (first && contents.length === 1 && "blob" in first)
    return { bytes: Buffer.from(first.blob, "base64"), mediaType: first.mimeType };
  return contents
    .map((part) => ("text" in part ? part.text : `[${part.uri}, ${part.mimeType ?? "binary"}]`))
    .join("\n")
    .toWellFormed();
}
