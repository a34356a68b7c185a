// Validated JSON: whole (`generateObject`) or growing (`streamObject`). Calls are retried, validation never is.

import { violationOf, withoutOptionalNulls } from "../schema/validate.ts";
import { parsePartialJson } from "../stream/partial-json.ts";
import { NoObjectGeneratedError } from "../types/errors.ts";
import type { JsonSchema, JsonValue } from "../types/json.ts";
import type { Response } from "../types/response.ts";
import { generate } from "./generate.ts";
import type { GenerateOptions, GenerateResult } from "./operation.ts";
import { stream } from "./stream.ts";

export interface ObjectOptions extends Omit<GenerateOptions, "responseFormat" | "tools"> {
  readonly schema: JsonSchema;
  /** Name of the schema where the vendor wants one. */
  readonly schemaName?: string;
}

export interface ObjectResult<T> extends GenerateResult {
  readonly output: T;
}

export async function generateObject<T = JsonValue>(options: ObjectOptions): Promise<ObjectResult<T>> {
  const result = await generate(withFormat(options));
  return { ...result, output: (await readObject(result.response, options.schema)) as T };
}

export interface ObjectStream<T> extends AsyncIterable<JsonValue> {
  /** The validated value, once the stream has been read to its end. */
  object(): Promise<T>;
}

/** Each partial is a prefix reading of the JSON so far; only changes are emitted. */
export function streamObject<T = JsonValue>(options: ObjectOptions): ObjectStream<T> {
  const events = stream(withFormat(options));
  const object = events.response().then((response) => readObject(response, options.schema) as Promise<T>);
  object.catch(() => {});
  return {
    object: () => object,
    async *[Symbol.asyncIterator]() {
      let text = "";
      let shown = "";
      for await (const event of events) {
        if (event.type !== "text_delta") continue;
        text += event.delta;
        const partial = parsePartialJson(unfenced(text));
        const image = JSON.stringify(partial);
        if (partial === undefined || image === shown) continue;
        shown = image;
        yield partial;
      }
    },
  };
}

function withFormat({ schema, schemaName, ...options }: ObjectOptions): GenerateOptions {
  return {
    ...options,
    responseFormat: {
      type: "json_schema",
      jsonSchema: schema,
      strict: true,
      ...(schemaName === undefined ? {} : { name: schemaName }),
    },
  };
}

async function readObject(response: Response, schema: JsonSchema): Promise<JsonValue> {
  const { text } = response;
  let value: JsonValue;
  try {
    value = JSON.parse(unfenced(text)) as JsonValue;
  } catch (cause) {
    const message =
      response.finishReason.reason === "length"
        ? "The answer reached its limit of output before the object was complete; raise maxTokens."
        : "The model did not answer with valid JSON.";
    throw new NoObjectGeneratedError(message, { text, response, cause });
  }
  const object = withoutOptionalNulls(schema, value);
  const violation = await violationOf(schema, object);
  if (violation === undefined) return object;
  throw new NoObjectGeneratedError(`The object does not match the schema: ${violation.path} ${violation.message}.`, {
    text,
    response,
    path: violation.path,
  });
}

/** One code fence around the JSON is tolerated; an opening one alone while it is still streaming. */
function unfenced(text: string): string {
  const body = text.trimStart();
  if (!body.startsWith("```")) return text;
  return body.replace(/^```[a-zA-Z]*\s*/, "").replace(/\s*```\s*$/, "");
}
