import type { Texts } from "./en.ts";
import { contentTexts } from "./german/content.ts";
import { pageTexts } from "./german/page.ts";
import { toolTexts } from "./german/tools.ts";

/** German. Its type makes a missing text an error. */
export const de: Texts = { language: "de", ...pageTexts, ...contentTexts, ...toolTexts };
