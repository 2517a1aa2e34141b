import { InvalidArgumentError, Option } from "commander";
import { defaultStore } from "./store/location.ts";

export function storeOption(): Option {
  return new Option(
    "--store <store>",
    `where conversations are stored: a file, or :memory: (default: ${defaultStore})`,
  );
}

export function floorOption(): Option {
  return new Option(
    "--floor <url>",
    "the floor's address (default: PLENARY_URL, else the floor that runs on the store)",
  );
}

/** Undefined for other texts. The URL parser also accepts "https:floor.example", which is a typing error. */
export function httpUrlOf(text: string): URL | undefined {
  return /^https?:\/\//iu.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** Collects `--allow-origin` in the form of an Origin header; `*` allows every page. */
export function collectOrigin(text: string, earlier: readonly string[] = []): string[] {
  if (text === "*") return [...earlier, text];
  const url = httpUrlOf(text);
  if (url !== undefined && url.href === `${url.origin}/`) return [...earlier, url.origin];
  throw new InvalidArgumentError("An origin is scheme, host and port, such as https://floor.example.");
}

export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/u.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

/** Parses `--public-url`. */
export function publicUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "" && url.hash === "") return text;
  throw new InvalidArgumentError("A public address is a URL, such as https://clock.example/agent.");
}

const secondsMax = 86_400;

export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/u.test(text) && seconds >= 1 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`A time is a whole number of seconds from 1 to ${secondsMax}.`);
}

const uriMax = 2_048;

/** Parses `--speaker`: a URI, because names are not unique. */
export function speakerUriOf(text: string): string {
  if (/^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu.test(text) && text.length <= uriMax) return text;
  throw new InvalidArgumentError("A speaker is a URI, such as tag:you.example,2026:me.");
}
