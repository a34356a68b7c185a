// `npm run screenshots [word]`: creates docs/screens/*.svg. Runs the built command in an emulated terminal against the
// scripted model and draws the cells of the screen. It only contacts loopback; the pictures contain no times, ids or
// paths of this machine.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { scenes } from "./screenshots/scenes.ts";
import { picture, Stage } from "./screenshots/stage.ts";

const folder = fileURLToPath(new URL("../docs/screens/", import.meta.url));
const wanted = process.argv.slice(2);

await buildIfStale();
mkdirSync(folder, { recursive: true });
for (const { name, label, look, play } of scenes) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  const stage = await Stage.open();
  try {
    const run = await play(stage);
    writeFileSync(`${folder}${name}.svg`, picture(run, stage.box, label, look));
    console.log(`docs/screens/${name}.svg`);
  } finally {
    await stage.close();
  }
}
