import { contentTexts } from "./english/content.ts";
import { pageTexts } from "./english/page.ts";
import { toolTexts } from "./english/tools.ts";

/** Every text that the page shows or announces. Texts for the reader ("you") are separate from texts for others. */
export const en = { language: "en", ...pageTexts, ...contentTexts, ...toolTexts };

export type Texts = typeof en;
