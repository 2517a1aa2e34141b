import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page } from "./page/page.tsx";
import { readSettings } from "./settings/settings.ts";
import { applyLanguage } from "./texts/texts.ts";
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

const container = document.getElementById("page");
if (container === null) throw new Error("index.html has no element #page");
const root = createRoot(container);
// The texts load first, so that the page does not change its language while it is read.
void applyLanguage(readSettings().language).then(() =>
  root.render(
    <StrictMode>
      <ErrorBoundary>
        <Page />
      </ErrorBoundary>
    </StrictMode>,
  ),
);
