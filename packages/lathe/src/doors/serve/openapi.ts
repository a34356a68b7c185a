// Generates schemas/openapi.json from the definitions that the server checks requests with.

import type { JsonSchema } from "@lathe/llm";
import { type Fields, isOptional, object, schemaOf } from "@lathe/llm/schema";
import { COMMANDS, type CommandName } from "../../hosts/rpc/commands.ts";
import { SHARED } from "../../hosts/rpc/publish.ts";
import { scopeOf } from "../../hosts/rpc/scopes.ts";
import { withSharedParts } from "../../hosts/rpc/shared-parts.ts";
import { COMMAND_PATH, frame, problem, ROUTES, type Route, snapshot } from "./api.ts";

const PARTS = { ...SHARED, Frame: frame, Problem: problem, Snapshot: snapshot };

/** Paths are relative to the package's schemas folder. */
export const openApiFile = (): Readonly<Record<string, JsonSchema>> => ({ "openapi.json": openApi() });

function openApi(): JsonSchema {
  const operations = [
    ...Object.entries(ROUTES).map(([name, route]) => ({ route: route as Route, operation: operationOf(name, route) })),
    ...Object.keys(COMMANDS).map((name) => commandOperation(name as CommandName)),
  ];
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { route, operation } of operations)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  const { kinds, used } = withSharedParts(paths as Record<string, JsonSchema>, PARTS, "#/components/schemas/");
  return {
    openapi: "3.1.0",
    info: {
      title: "lathe serve",
      version: "1",
      description:
        "Sessions over HTTP. Commands are those of RPC mode. Send a token in the Authorization header; its scope must be the one that an operation names.",
    },
    paths: kinds,
    components: {
      schemas: used,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function commandOperation(name: CommandName): { readonly route: Route; readonly operation: JsonSchema } {
  const { params, data } = COMMANDS[name];
  const route: Route = {
    method: "POST",
    path: `${COMMAND_PATH}/${name}`,
    does: `The command ${name} of RPC mode.`,
    scope: scopeOf(name),
    body: params,
    // A command without result data has `not: {}` instead of a schema.
    data: "not" in data ? object({}) : object({ data }),
  };
  return { route, operation: operationOf(`command_${name}`, route) };
}

function operationOf(operationId: string, { path, does, scope, query = {}, body, data, media }: Route): JsonSchema {
  const type = media ?? "application/json";
  const content =
    data === undefined && media === undefined ? {} : { content: { [type]: { schema: data ?? { type: "string" } } } };
  const success = data === undefined && media === undefined ? "204" : "200";
  return {
    operationId,
    summary: does,
    ...(scope === undefined ? {} : { security: [{ token: scope === "any" ? [] : [scope] }] }),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: object(body) } } } }),
    responses: {
      [success]: { description: "Done.", ...content },
      default: { description: "Refused.", content: { "application/json": { schema: problem } } },
    },
  };
}

const pathParameters = (path: string): JsonSchema[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

const queryParameters = (query: Fields): JsonSchema[] =>
  Object.entries(query).map(([name, field]) => ({
    name,
    in: "query",
    required: !isOptional(field),
    schema: schemaOf(field),
  }));
