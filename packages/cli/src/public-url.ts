import { InvalidArgumentError } from "commander";

/** Where others reach what listens here. */
export function publicUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "" && url.hash === "") return text;
  throw new InvalidArgumentError("A public address is a URL, such as https://clock.example/agent.");
}
