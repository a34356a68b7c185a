// Errors about requests that do not fit the protocol's schema. The SDK answers "Invalid params" with everything that its
// validator has tried; editors show the message. So the message becomes one line that names method, field and problem.

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { placeText } from "@lathe/llm/schema";
import { paramsProblem } from "./request-shapes.ts";

const INVALID_PARAMS = -32602;

/** What the SDK's validator found, nested like the value. */
interface Findings {
  readonly _errors: readonly string[];
}

/** The same stream, except for the text of these errors. */
export function withClearErrors({ readable, writable }: Stream): Stream {
  const requests = new Map<unknown, { readonly method: string; readonly params?: unknown }>();
  const writer = writable.getWriter();
  return {
    readable: readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, controller) => {
          if ("method" in message && "id" in message) requests.set(message.id, message);
          controller.enqueue(message);
        },
      }),
    ),
    writable: new WritableStream<AnyMessage>({
      write: (message) => {
        if ("method" in message) return writer.write(message);
        const request = requests.get(message.id);
        requests.delete(message.id);
        return writer.write(request ? clearAnswer(message, request) : message);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

function clearAnswer(
  answer: AnyMessage,
  { method, params }: { readonly method: string; readonly params?: unknown },
): AnyMessage {
  if (!("error" in answer)) return answer;
  const { code, data } = answer.error;
  if (code !== INVALID_PARAMS || !isFindings(data)) return answer;
  const problem = paramsProblem(method, params) ?? firstFinding(data) ?? "the parameters do not fit the protocol";
  return { ...answer, error: { code, message: `${method}: ${problem}.` } };
}

/** The first error, for fields that our definitions leave out. */
function firstFinding({ _errors, ...members }: Findings, path: readonly (string | number)[] = []): string | undefined {
  const [own] = _errors;
  if (own !== undefined) return `${placeText(path) || "the value"}: ${own.replace(/^Invalid input: /, "")}`;
  for (const [name, inner] of Object.entries(members)) {
    const step = /^\d+$/.test(name) ? Number(name) : name;
    const found = isFindings(inner) ? firstFinding(inner, [...path, step]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isFindings = (value: unknown): value is Findings =>
  typeof value === "object" && value !== null && "_errors" in value && Array.isArray(value._errors);
