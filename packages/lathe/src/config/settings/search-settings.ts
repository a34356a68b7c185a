// Settings of web search: which engine to use, and what some engines need.

import { choice, flag, type Schema, text } from "@lathe/llm/schema";
import { SEARCH_ENGINES } from "../credentials/search-engines.ts";

export const SEARCH_SETTINGS = {
  "web_search.enabled": flag({ default: true, description: "offer the model a search of the web" }),
  "providers.webSearch": choice(["auto", ...SEARCH_ENGINES.map(({ id }) => id)], {
    default: "auto",
    description:
      "search engine to try first; auto: the one of the model's vendor, then those that have a key, then DuckDuckGo",
  }),
  "searxng.endpoint": text({
    format: "http-address",
    default: "",
    description: "address of your SearXNG server, such as http://localhost:8888",
  }),
  "searxng.categories": text({ default: "", description: "categories that SearXNG searches, as general,it" }),
  "searxng.language": text({ default: "", description: "language of SearXNG's results, as en" }),
  "searxng.basicUsername": text({
    default: "",
    description: "user name for SearXNG; the password is $SEARXNG_BASIC_PASSWORD or comes from: lathe login searxng",
  }),
  "exa.enabled": flag({ default: true, description: "use Exa where it has a key" }),
  "exa.enableSearch": flag({ default: true, description: "use Exa for web search where it has a key" }),
} as const satisfies Record<string, Schema>;

/** Only the user decides where searches go: a project's settings cannot change these. */
export const USERS_SEARCH = /^(?:providers\.webSearch|searxng\.)/;
