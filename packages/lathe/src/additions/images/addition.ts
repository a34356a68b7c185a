// Image generation as an addition to sessions: the service behind the tool `generate_image`, loaded with the first
// picture.

import type { AdditionMaker } from "../../conversation/session-contract.ts";

export const imagesAddition: AdditionMaker = async (workspace) => ({
  name: "pictures",
  services: {
    pictureMaker: async () => (await import("./picture-maker.ts")).pictureMaker(workspace),
  },
});
