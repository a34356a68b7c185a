// Validated JSON: whole (`generateObject`) or growing (`streamObject`). Calls are retried, but validation is not.

import { checkValue, type InferSchema, jsonSchemaOf, type SchemaInput } from "../schema/typed.ts";
import { parsePartialJson } from "../stream/partial-json.ts";
import { NoObjectGeneratedError } from "../types/errors.ts";
import type { JsonSchema, JsonValue } from "../types/json.ts";
import type { Response } from "../types/response.ts";
import { generate } from "./generate.ts";
import type { GenerateOptions, GenerateResult } from "./operation.ts";
import { stream } from "./stream.ts";

/** The options of `generateObject` and `streamObject`. */
export interface ObjectOptions<S extends SchemaInput = SchemaInput>
  extends Omit<GenerateOptions, "responseFormat" | "tools"> {
  /** TypeBox, a standard schema such as zod's, or JSON Schema; determines the type of the output. */
  readonly schema: S;
  /** Name of the schema, for vendors that require one. */
  readonly schemaName?: string | undefined;
}

/** An answer and the object in it. */
export interface ObjectResult<T> extends GenerateResult {
  readonly output: T;
}

/** Asks for an object, checks it against the schema and returns it as the schema's type. */
export async function generateObject<const S extends SchemaInput>(
  options: ObjectOptions<S>,
): Promise<ObjectResult<InferSchema<S>>> {
  const sent = jsonSchemaOf(options.schema);
  const result = await generate(withFormat(options, sent));
  return { ...result, output: await readObject(result.response, options.schema, sent) };
}

/** An object while it grows. */
export interface ObjectStream<T> extends AsyncIterable<JsonValue> {
  /** The validated value, once the stream has been read to its end. */
  object(): Promise<T>;
}

/** Each partial value is what can be parsed of the JSON so far; only changes are emitted. */
export function streamObject<const S extends SchemaInput>(options: ObjectOptions<S>): ObjectStream<InferSchema<S>> {
  const sent = jsonSchemaOf(options.schema);
  const events = stream(withFormat(options, sent));
  const object = events.response().then((response) => readObject(response, options.schema, sent));
  object.catch(() => {});
  return {
    object: () => object,
    async *[Symbol.asyncIterator]() {
      let text = "";
      let shown = "";
      for await (const event of events) {
        if (event.type !== "text_delta") continue;
        text += event.delta;
        const partial = parsePartialJson(stripFences(text));
        const image = JSON.stringify(partial);
        if (partial === undefined || image === shown) continue;
        shown = image;
        yield partial;
      }
    },
  };
}

function withFormat({ schema: _, schemaName, ...options }: ObjectOptions, jsonSchema: JsonSchema): GenerateOptions {
  return {
    ...options,
    responseFormat: {
      type: "json_schema",
      jsonSchema,
      strict: true,
      ...(schemaName === undefined ? {} : { name: schemaName }),
    },
  };
}

async function readObject<S extends SchemaInput>(
  response: Response,
  schema: S,
  sent: JsonSchema,
): Promise<InferSchema<S>> {
  const { text } = response;
  let value: JsonValue;
  try {
    value = JSON.parse(stripFences(text)) as JsonValue;
  } catch (cause) {
    const message =
      response.finishReason.reason === "length"
        ? "The answer reached its output limit before the object was complete; raise maxTokens."
        : "The model did not answer with valid JSON.";
    throw new NoObjectGeneratedError(message, { text, response, cause });
  }
  const checked = await checkValue(schema, sent, value);
  if (checked.violation === undefined) return checked.value;
  const { path, message } = checked.violation;
  throw new NoObjectGeneratedError(`The object does not match the schema: ${message}.`, {
    text,
    response,
    path,
  });
}

/** Removes one code fence around the JSON, or an opening fence while the answer is still streaming. */
function stripFences(text: string): string {
  const body = text.trimStart();
  if (!body.startsWith("```")) return text;
  return body.replace(/^```[a-zA-Z]*\s*/, "").replace(/\s*```\s*$/, "");
}
