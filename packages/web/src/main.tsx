import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page } from "./page/page.tsx";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/page.css";
import "./styles/transcript.css";
import "./styles/features.css";
import "./styles/floor.css";
import "./styles/compose.css";
import "./styles/prompts.css";
import "./styles/dialogs.css";

const place = document.getElementById("page");
if (place === null) throw new Error("the page has no place to be shown in");
createRoot(place).render(
  <StrictMode>
    <ErrorBoundary>
      <Page />
    </ErrorBoundary>
  </StrictMode>,
);
