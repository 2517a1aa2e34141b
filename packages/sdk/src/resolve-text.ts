import type { DialogEvent } from "@plenary/protocol";
import type { Dialler } from "./dial.ts";
import { DialError } from "./dial-error.ts";

/** The URLs are a stranger's: what must not be called from here, it refuses. */
export type TextDialler = Pick<Dialler, "dial">;

/** Spec 1.10.1: the words of a dialog event, those at a valueUrl fetched. Only through a dialler: the URL is a stranger's. */
export async function resolveText(
  dialogEvent: DialogEvent,
  dialler: TextDialler,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string> {
  const words: string[] = [];
  for (const { value, valueUrl } of dialogEvent.features.text?.tokens ?? []) {
    if (typeof value === "string") words.push(value);
    else if (valueUrl !== undefined) words.push(await fetchText(valueUrl, dialler, signal));
  }
  return words.join("");
}

async function fetchText(url: string, dialler: TextDialler, signal: AbortSignal | undefined) {
  const headers = { accept: "text/plain" };
  const { status, body } = await dialler.dial({ url, method: "GET", headers, ...(signal && { signal }) });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  if (status !== 200) throw new DialError(url, "broken", `answered ${status}`, { isSent: true, status });
  return text + decoder.decode();
}
