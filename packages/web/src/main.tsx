import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Mishap } from "./shell/mishap.tsx";
import { Page } from "./shell/page.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/transcript.css";
import "./styles/features.css";
import "./styles/floor.css";
import "./styles/compose.css";
import "./styles/prompts.css";
import "./styles/desk.css";

const place = document.getElementById("page");
if (place === null) throw new Error("the page has no place to be shown in");
createRoot(place).render(
  <StrictMode>
    <Mishap>
      <Page />
    </Mishap>
  </StrictMode>,
);
