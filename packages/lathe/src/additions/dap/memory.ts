// Reads and writes a program's memory: by requests of the protocol, or by debugger commands if the adapter fails at
// those requests.

import { ToolFailure } from "@lathe/agent";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { RequestOptions } from "./adapter-link.ts";
import type { DebugSession } from "./debug-session.ts";

const PER_LINE = 16;
const MOST_BYTES = 64 * 1024;

/** Returns rows of address, hexadecimal bytes and their characters. */
export async function readMemory(
  session: DebugSession,
  memoryReference: string,
  { offset, count: wanted }: { readonly offset: number; readonly count: number },
  options: RequestOptions,
): Promise<string> {
  const count = Math.min(wanted, MOST_BYTES);
  if (session.adapter.row.memoryByCommand) {
    const text = await run(
      session,
      `memory read --size 1 --format x --count ${count} --force -- ${place(address(memoryReference), offset)}`,
      options,
    );
    const bytes = [...text.matchAll(/\b0x([0-9a-f]{2})\b/g)].map(([, byte]) => Number.parseInt(byte!, 16));
    const [start] = /0x[0-9a-f]{4,}/.exec(text) ?? [];
    if (bytes.length === 0) throw new ToolFailure(`${session.name}: ${text.trim() || "nothing was read"}`);
    return dump(Buffer.from(bytes), start ?? memoryReference);
  }
  if (!session.capabilities.supportsReadMemoryRequest)
    throw new ToolFailure(`The debugger ${session.name} does not support read_memory (supportsReadMemoryRequest).`);
  const body = await session.ask<NonNullable<DebugProtocol.ReadMemoryResponse["body"]>>(
    "readMemory",
    { memoryReference, offset, count },
    options,
  );
  const lost = body.unreadableBytes ? `\n${body.unreadableBytes} bytes cannot be read.` : "";
  return `${dump(Buffer.from(body.data ?? "", "base64"), body.address)}${lost}`;
}

export async function writeMemory(
  session: DebugSession,
  memoryReference: string,
  { offset, data }: { readonly offset: number; readonly data: string },
  options: RequestOptions,
): Promise<string> {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length === 0) throw new ToolFailure("`data` holds no bytes; it is base64.");
  if (session.adapter.row.memoryByCommand) {
    const said = await run(
      session,
      `memory write --size 1 -- ${place(address(memoryReference), offset)} ${[...bytes].map((byte) => `0x${byte.toString(16)}`).join(" ")}`,
      options,
    );
    if (/\berror:/.test(said)) throw new ToolFailure(`${session.name}: ${said.trim()}`);
  } else {
    if (!session.capabilities.supportsWriteMemoryRequest)
      throw new ToolFailure(`The debugger ${session.name} does not support write_memory (supportsWriteMemoryRequest).`);
    await session.ask("writeMemory", { memoryReference, offset, data }, options);
  }
  return `Wrote ${bytes.length} bytes at ${place(memoryReference, offset)}.`;
}

const place = (reference: string, offset: number): string => (offset === 0 ? reference : `${reference}+${offset}`);

/** The debugger command would evaluate an expression, and the user was not asked to allow that. */
function address(reference: string): string {
  if (/^(?:0x[0-9a-f]+|\d+|&?[a-z_]\w*)$/i.test(reference)) return reference;
  throw new ToolFailure(`memory_reference is an address or the name of a variable: ${reference} is neither.`);
}

/** Runs a command of the debugger itself; the leading backtick keeps it from being read as an expression. */
async function run(session: DebugSession, command: string, options: RequestOptions): Promise<string> {
  const frameId = (await session.topFrame(options))?.id;
  const expression = `\`${command}`;
  const { result } = await session.ask<{ result: string }>(
    "evaluate",
    { expression, context: "repl", frameId },
    options,
  );
  return result;
}

function dump(bytes: Buffer, address: string): string {
  const start = /^0x[0-9a-f]+$/i.test(address) ? BigInt(address) : undefined;
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const row = bytes.subarray(at, at + PER_LINE);
    const hex = [...row].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.toString("latin1").replace(/[^\x20-\x7e]/g, ".");
    const where = start === undefined ? `${address}+${at}` : `0x${(start + BigInt(at)).toString(16)}`;
    lines.push(`${where}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}
