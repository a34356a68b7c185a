import { buildIfStale } from "./build.mjs";

export const setup = buildIfStale;
