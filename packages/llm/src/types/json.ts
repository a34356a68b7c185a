/** Plain JSON values; `null` appears only here, never as a field of our own types. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = JsonObject;
