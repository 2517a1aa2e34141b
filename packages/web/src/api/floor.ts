import { createHostClient, FloorProblem, Unreachable } from "@plenary/client";
import { texts } from "../texts/texts.ts";

/** Requests before a person is known. Without a token, the browser's cookie authenticates them. */
export function visitorClient(token?: string) {
  return createHostClient({ url: location.origin, ...(token !== undefined && { token }) });
}

/** A text for people about anything that was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Unreachable) return texts.errors.unreachable;
  if (error instanceof FloorProblem && error.because === "convener/changed") return texts.errors.convenerChanged;
  const { message } = error instanceof Error ? error : { message: "" };
  // The floor names the event; people have a button for it.
  return message === "" ? texts.common.failed : message.replace("send requestFloor", texts.errors.raiseYourHand);
}

/** Whether an utterance was discarded, or the page left its floor: there is nothing to report. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
