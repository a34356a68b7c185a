// The client's files and terminals for one session, over the protocol.

import { join } from "node:path";
import type { AgentContext, ClientCapabilities, SendRequestOptions } from "@agentclientprotocol/sdk/unstable";
import { EnvError } from "@lathe/agent";
import { isInside } from "@lathe/agent/policy";
import type { Editor } from "./editor-files.ts";
import type { EditorTerminals } from "./editor-terminal.ts";

/** Reading is quick: the editor has the text in memory. */
const READ_WITHIN_MS = 30_000;
/** Writing may take long: the user may review a change before accepting it. */
const WRITTEN_WITHIN_MS = 30 * 60_000;

export interface EditorLink {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly sessionId: () => string;
  /** The session's folders: their real paths and the paths that the client uses for them. */
  readonly folders: readonly { readonly real: string; readonly named: string }[];
}

export function editorOver({ client, capabilities, sessionId, folders }: EditorLink): Editor | undefined {
  const { readTextFile, writeTextFile } = capabilities.fs ?? {};
  if (!readTextFile && !writeTextFile) return undefined;
  /** The path under which the editor knows a file: below the folder as it was opened there. */
  const clientPath = (path: string): string => {
    const folder = folders.find(({ real }) => isInside(path, real));
    return folder ? join(folder.named, path.slice(folder.real.length)) : path;
  };
  return {
    ...(readTextFile
      ? {
          read: async (path: string): Promise<string | undefined> => {
            const deadline = deadlineOf(READ_WITHIN_MS);
            try {
              const { content } = await client.request(
                "fs/read_text_file",
                { sessionId: sessionId(), path: clientPath(path) },
                deadline,
              );
              // The editor may send anything.
              return typeof content === "string" ? content : undefined;
            } catch {
              if (!deadline.cancellationSignal?.aborted) return undefined; // The file is not open there, or is outside its project.
              throw new EnvError("timed_out", `The editor did not answer when it was asked for ${path}. Try again.`, {
                path,
              });
            }
          },
        }
      : {}),
    ...(writeTextFile
      ? {
          write: async (path: string, content: string): Promise<void> => {
            const params = { sessionId: sessionId(), path: clientPath(path), content };
            await client.request("fs/write_text_file", params, deadlineOf(WRITTEN_WITHIN_MS));
          },
        }
      : {}),
  };
}

const deadlineOf = (ms: number): SendRequestOptions => ({
  cancellationSignal: AbortSignal.timeout(ms),
  stopWaitingOnCancel: true,
});

export interface TerminalLink extends Pick<EditorLink, "client" | "capabilities" | "sessionId"> {
  readonly now: () => number;
  readonly onTerminal: (command: string, terminalId: string) => void;
}

export function terminalsOver(link: TerminalLink): EditorTerminals | undefined {
  const { client, capabilities, sessionId, now, onTerminal } = link;
  if (!capabilities.terminal) return undefined;
  return {
    now,
    start: async (command, { argv: [program, ...args], cwd, env, outputByteLimit }) => {
      const handle = await client.createTerminal({
        sessionId: sessionId(),
        command: program,
        args,
        cwd,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        outputByteLimit,
      });
      onTerminal(command, handle.id);
      return {
        id: handle.id,
        output: () => handle.currentOutput(),
        waitForExit: () => handle.waitForExit(),
        kill: () => handle.kill(),
        release: () => handle.release(),
      };
    },
  };
}
