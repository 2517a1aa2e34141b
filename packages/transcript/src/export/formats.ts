/** The export formats: title, media type and file ending. */
export const exportKinds = {
  html: { title: "a page", mimeType: "text/html", ending: "html" },
  markdown: { title: "Markdown", mimeType: "text/markdown", ending: "md" },
  mermaid: { title: "a Mermaid diagram", mimeType: "text/vnd.mermaid", ending: "mmd" },
  jsonl: { title: "JSON lines", mimeType: "application/jsonl", ending: "jsonl" },
} as const;

export type ExportFormat = keyof typeof exportKinds;

export function isExportFormat(text: string): text is ExportFormat {
  return Object.hasOwn(exportKinds, text);
}

export const exportFormats: readonly ExportFormat[] = Object.keys(exportKinds).filter(isExportFormat);
