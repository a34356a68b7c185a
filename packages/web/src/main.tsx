// The page: draws the application into the document.

import { render } from "preact";

const place = document.getElementById("app");
if (place) render(<main>Lathe</main>, place);
