// The subset of OpenAPI schemas that Gemini's `parameters` and `responseSchema` take.

import { isFields, refuse, string } from "../refuse.ts";
import { field, knownFields } from "./json.ts";

const SCHEMA_FIELDS = [
  ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"],
  ...["minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"],
  ...["default", "items", "minimum", "maximum"],
];
const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "TYPE_UNSPECIFIED"];
const STRING_FORMATS = ["enum", "date-time"];

export function checkSchema(schema: unknown, at: string): void {
  if (!isFields(schema)) refuse(`Invalid value at '${at}' (Schema): expected an object.`);
  knownFields(schema, SCHEMA_FIELDS, at);
  if (Array.isArray(schema["type"]))
    refuse(`Invalid value at '${at}.type': field is not repeating, cannot start list.`);
  const type = string(schema["type"]).toUpperCase();
  if (schema["type"] !== undefined && !TYPES.includes(type)) refuse(`Invalid value at '${at}.type' (Type), "${type}"`);
  if (Array.isArray(schema["enum"])) {
    if (schema["enum"].some((value) => typeof value !== "string"))
      refuse(`Invalid value at '${at}.enum' (TYPE_STRING)`);
    if (type !== "STRING") refuse(`* GenerateContentRequest.${at}.enum: only allowed for STRING type`);
  }
  const format = schema["format"];
  if (type === "STRING" && format !== undefined && !STRING_FORMATS.includes(string(format))) {
    refuse(`* GenerateContentRequest.${at}.format: only 'enum' and 'date-time' are supported for STRING type`);
  }
  if (type === "ARRAY" && schema["items"] === undefined) refuse(`* GenerateContentRequest.${at}.items: missing field.`);
  if (schema["items"] !== undefined) checkSchema(schema["items"], `${at}.items`);
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const undefinedProperty = required.findIndex((name) => !(string(name) in properties));
  if (undefinedProperty >= 0) {
    refuse(`* GenerateContentRequest.${at}.required[${undefinedProperty}]: property is not defined`);
  }
  for (const [name, value] of Object.entries(properties)) checkSchema(value, `${at}.properties[${name}]`);
  const variants = field(schema, "anyOf");
  if (Array.isArray(variants))
    for (const [i, variant] of variants.entries()) checkSchema(variant, `${at}.any_of[${i}]`);
}
