import { InvalidArgumentError } from "commander";

/** Collects `--allow-origin`, each as a browser writes it; `*` is every page. */
export function collectOrigin(text: string, earlier: readonly string[] = []): string[] {
  if (text === "*") return [...earlier, text];
  const isUrl = /^https?:\/\//iu.test(text) && URL.canParse(text);
  const url = isUrl ? new URL(text) : undefined;
  if (url !== undefined && url.href === `${url.origin}/`) return [...earlier, url.origin];
  throw new InvalidArgumentError("An origin is scheme, host and port, such as https://floor.example.");
}
