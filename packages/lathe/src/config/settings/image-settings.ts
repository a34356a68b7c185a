// Settings for images, and for the model that looks at them.

import { choice, flag, type Schema } from "@lathe/llm/schema";

export const IMAGE_SETTINGS = {
  "images.autoResize": flag({
    default: true,
    description: "shrink images that are too large for a request (needs the optional package sharp)",
  }),
  "images.blockImages": flag({ default: false, description: "never send images to a model" }),
  "inspect_image.enabled": flag({
    default: false,
    description: "keep images out of the conversation; the tool inspect_image asks modelRoles.vision about them",
  }),
  "computer.enabled": flag({
    default: false,
    description: "let the model use your desktop: see the screen, click and type (X11; tool computer)",
  }),
  "generate_image.enabled": flag({
    default: false,
    description: "let the model generate images, which the vendor bills (tool generate_image)",
  }),
  "providers.image": choice(["auto", "gemini", "openai", "openrouter"], {
    default: "auto",
    description: "who generates images; auto: Gemini or OpenAI, the first that has a key",
  }),
  "renderMermaid.enabled": flag({
    default: false,
    description: "let the model draw mermaid diagrams as text in the terminal (tool render_mermaid)",
  }),
} as const satisfies Record<string, Schema>;
