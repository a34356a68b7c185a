// Settings of pictures, and of the model that looks at them.

import type { SettingSpec } from "./schema.ts";

export const IMAGE_SETTINGS = {
  "images.autoResize": {
    type: "boolean",
    default: true,
    help: "make pictures smaller that are too large for a request (needs the optional package sharp)",
  },
  "images.blockImages": { type: "boolean", default: false, help: "never send pictures to a model" },
  "inspect_image.enabled": {
    type: "boolean",
    default: false,
    help: "pictures stay out of the conversation; the tool inspect_image asks modelRoles.vision about them",
  },
} as const satisfies Record<string, SettingSpec>;
