const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Clients show names and payloads of steps as HTML: `<workflow>` would vanish as a tag. What is escaped already, as the
 * toolkit's payloads are, stays as it is, so that a step on its way through several hands is not escaped twice.
 */
export function escaped(text: string): string {
  return text.replace(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/gu, (mark) => entities[mark] ?? mark);
}
