import type { DialogEvent } from "@plenary/protocol";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { attachmentOf } from "../../compose/attachment-file.ts";
import { Features } from "../features.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { faultsIn } from "./faults.ts";

/** A page that shows only features, to test what they let through. */

let root: Root | undefined;

// Looked up early: unsanitized markup may define global names before `document`'s.
const place = document.querySelector("#page") ?? document.body;

async function settled(): Promise<void> {
  // A lazy image may never load.
  const images = place.querySelectorAll<HTMLImageElement>("img:not([loading=lazy])");
  await Promise.all(Array.from(images, (image) => image.decode().catch(() => undefined)));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

const nudges = "mouseover mouseenter pointerenter focus focusin toggle animationstart load error".split(" ");

export const stage = {
  /** Shows them, opens every disclosure and returns what should not be there. */
  async show(dialogEvents: readonly DialogEvent[], drafts: readonly string[]): Promise<string[]> {
    root ??= createRoot(place);
    const keyed = dialogEvents.map((dialogEvent) => <Features key={dialogEvent.id} dialogEvent={dialogEvent} />);
    flushSync(() => root?.render([...keyed, ...drafts.map((text) => <Markdown key={text} text={text} isPartial />)]));
    await settled();
    for (let depth = 0; depth < 2; depth += 1) {
      for (const details of document.querySelectorAll("details")) details.open = true;
      await settled();
    }
    const faults = faultsIn(place);
    for (const element of place.querySelectorAll("*:not(iframe, img, audio, video)"))
      for (const nudge of nudges) element.dispatchEvent(new Event(nudge));
    await settled();
    return faults;
  },

  /** The same markup without sanitizing. */
  showRaw(htmls: readonly string[]): void {
    for (const html of htmls) {
      place.insertAdjacentHTML("beforeend", `<div>${html}</div>`);
      for (const element of place.lastElementChild?.querySelectorAll("*") ?? [])
        for (const nudge of nudges) element.dispatchEvent(new Event(nudge));
    }
  },

  /** Attaches an image of noise that is larger than allowed. */
  async attachLarge(): Promise<{ mimeType: string; base64Length: number; bytesBefore: number }> {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1500, height: 1000 });
    const context = canvas.getContext("2d");
    const noise = new ImageData(1500, 1000);
    let value = 1;
    for (let at = 0; at < noise.data.length; at += 1) {
      value = Math.imul(value, 1664525) + 1013904223;
      noise.data[at] = value >>> 24;
    }
    context?.putImageData(noise, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    const file = new File([blob ?? new Blob()], "noise.png", { type: "image/png" });
    const { feature, previewUrl = "" } = await attachmentOf(file);
    URL.revokeObjectURL(previewUrl);
    const { mimeType, tokens } = feature;
    return { mimeType, base64Length: String(tokens[0]?.value).length, bytesBefore: file.size };
  },
};

Object.assign(window, { stage });
