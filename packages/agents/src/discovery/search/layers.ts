import type { Capability } from "@plenary/protocol";

/** Different names of one layer. */
const synonyms: readonly (readonly string[])[] = [
  ["voice", "audio", "speech"],
  ["image", "picture"],
];

/** Manifest 1.7: `supportedLayers` is text in both directions by default. */
const ordinary = { input: ["text"], output: ["text"] };

/** The requested layers that the capability supports, by its own names. */
export function supportedOf(asked: readonly string[], { supportedLayers = ordinary }: Capability): string[] {
  const own = [...supportedLayers.input, ...supportedLayers.output];
  const served = asked.flatMap((layer) => own.find((one) => isSynonym(layer.toLowerCase(), one.toLowerCase())) ?? []);
  return [...new Set(served)];
}

function isSynonym(one: string, other: string): boolean {
  return one === other || synonyms.some((names) => names.includes(one) && names.includes(other));
}

/** How people ask for a layer. With `isAll` the match is removed from the task. */
const layerPatterns: readonly { layer: string; words: RegExp; isAll: boolean }[] = [
  {
    layer: "voice",
    words:
      /\b(?:that |which |who )?(?:i |we )?(?:can |could )?(?:(?:talk|speak)(?:ing)? (?:to|with) )?(?:(?:by|with|per|via|using) (?:voice|speech|phone|audio)|out loud|aloud|hands[- ]?free|mit (?:der )?stimme|per sprache|de vive voix|por voz|a voce)\b/giu,
    isAll: true,
  },
  { layer: "voice", words: /\b(?:voice|spoken|speech)\b/giu, isAll: false },
  { layer: "image", words: /\b(?:pictures?|images?|photos?|bilder?)\b/giu, isAll: false },
  { layer: "video", words: /\bvideos?\b/giu, isAll: false },
  { layer: "html", words: /\bhtml\b/giu, isAll: false },
];

export function layersIn(text: string): { layers: string[]; rest: string } {
  let rest = text;
  const layers = new Set<string>();
  for (const { layer, words, isAll } of layerPatterns) {
    if (text.search(words) < 0) continue;
    layers.add(layer);
    if (isAll) rest = rest.replaceAll(words, " ");
  }
  return { layers: [...layers], rest };
}
