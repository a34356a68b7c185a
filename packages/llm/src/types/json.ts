/** Plain JSON values; `null` appears only here, never as a field of our own types. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };
export type JsonSchema = JsonObject;
