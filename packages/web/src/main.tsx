// The page of `lathe serve`: renders the application into the document.

import { LatheClient } from "lathe/client";
import { render } from "preact";
import { App } from "./view/app.tsx";

const place = document.getElementById("app");
if (place) render(<App client={new LatheClient()} />, place);
