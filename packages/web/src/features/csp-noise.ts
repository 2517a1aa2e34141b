/**
 * Removes markup that would trigger reports of the content security policy during parsing, although nothing runs there.
 * It does not make markup safe: what reads it does that afterwards.
 */
export function withoutCspNoise(html: string): string {
  return html
    .replace(/<(\/?)style\b/giu, "<$1template")
    .replace(/<[a-z][^<>]*>/giu, (tag) => tag.replace(/([\s"'/])(?:on[a-z]+|style)(\s*=)/giu, "$1data-quiet$2"));
}
