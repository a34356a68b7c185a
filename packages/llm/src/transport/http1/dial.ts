// New connections: TCP, and TLS on top of it, within the connect limit. Certificates and sessions never leave the target
// they belong to.

import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { networkError } from "../../errors/network.ts";
import type { ClientDeps, TlsMaterial, TransportRequest } from "../../types/adapter.ts";
import { AbortError, ConfigurationError, RequestTimeoutError } from "../../types/errors.ts";
import { Connection, SOCKET_OPTIONS } from "./connection.ts";
import { hungUp } from "./hung-up.ts";

export interface Target {
  /** Connections with the same key can stand in for each other. */
  readonly key: string;
  readonly origin: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** The name the certificate is asked for; empty for addresses, which TLS cannot ask for. */
  readonly name: string;
  readonly material: TlsMaterial | undefined;
}

type Limits = Pick<TransportRequest, "signal" | "connectTimeoutMs">;
/** What `use` gives. It is called as soon as there is a connection, before anything else is done. */
export type Dial = <T>(target: Target, limits: Limits, use: (connection: Connection) => Promise<T>) => Promise<T>;

export function createDial(setTimer: ClientDeps["setTimer"]): Dial {
  const contexts = new Map<string, SecureContext>();
  const sessions = new Map<string, Buffer>();

  const open = async (target: Target): Promise<() => Socket> => {
    const { host, port } = target;
    // Not `import()`: that touches every export, which loads what nobody uses here before the first request.
    const net = process.getBuiltinModule("node:net");
    if (!target.secure) return () => net.connect({ host, port, ...SOCKET_OPTIONS });
    const tls = process.getBuiltinModule("node:tls");
    const secureContext = await contextOf(target, contexts);
    return () => {
      const session = sessions.get(target.key);
      const socket = tls.connect({
        host,
        port,
        ...SOCKET_OPTIONS,
        servername: net.isIP(target.name) === 0 ? target.name : "",
        ALPNProtocols: ["http/1.1"],
        ...(secureContext === undefined ? {} : { secureContext }),
        ...(session === undefined ? {} : { session }),
      });
      socket.on("session", (fresh) => sessions.set(target.key, fresh));
      socket.once("close", (failed) => {
        if (failed) sessions.delete(target.key);
      });
      return socket;
    };
  };

  return async (target, { signal, connectTimeoutMs: ms }, use) => {
    const start = await open(target);
    if (signal?.aborted) throw new AbortError("The request was aborted.");
    return new Promise((resolve, reject) => {
      const socket = start();
      const fail = (error: Error) => {
        settle();
        connection.close();
        reject(error);
      };
      const connection = new Connection(socket, {
        bytes: () => fail(networkError(target.origin, hungUp())),
        gone: (cause) => fail(networkError(target.origin, cause ?? hungUp())),
      });
      const timer = ms
        ? setTimer(() => {
            const message = `${target.origin}: no connection within ${ms / 1000} s.`;
            fail(new RequestTimeoutError(message, { phase: "connect" }));
          }, ms)
        : undefined;
      const onAbort = () => fail(new AbortError("The request was aborted."));
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = () => {
        timer?.cancel();
        signal?.removeEventListener("abort", onAbort);
      };
      // Nothing is sent before the certificate is checked: the head holds a key.
      socket.on(target.secure ? "secureConnect" : "connect", () => {
        resolve(use(connection));
        settle();
      });
    });
  };
}

/** Made once for the same certificates: reading all authorities for each connection takes longer than its handshake. */
async function contextOf(
  { material, origin }: Target,
  contexts: Map<string, SecureContext>,
): Promise<SecureContext | undefined> {
  if (material === undefined) return undefined;
  const key = JSON.stringify(material);
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const { tlsOptions } = await import("../tls.ts");
  try {
    const made = process.getBuiltinModule("node:tls").createSecureContext(tlsOptions(material));
    contexts.set(key, made);
    return made;
  } catch (cause) {
    const hint = "they must be PEM texts, and the key must fit the certificate.";
    throw new ConfigurationError(`The certificates or the key for ${origin} cannot be read; ${hint}`, { cause });
  }
}
