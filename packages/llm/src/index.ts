export * from "./types/adapter.ts";
export * from "./types/errors.ts";
export * from "./types/events.ts";
export * from "./types/json.ts";
export * from "./types/message.ts";
export * from "./types/model.ts";
export * from "./types/request.ts";
export * from "./types/response.ts";
