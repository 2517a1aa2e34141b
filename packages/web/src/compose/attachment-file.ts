import { essenceOf, type Feature, type Token } from "@plenary/protocol";
import { sizeText } from "../features/feature-kind.ts";
import { texts } from "../texts/texts.ts";

export type Attachment = {
  name: string;
  featureName: "image" | "audio";
  feature: Feature;
  /** Only for images. The component that shows it revokes it. */
  previewUrl?: string;
};

const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Spec 1.10.3 names the audio types; browsers use other names for some. */
const audioTypes: ReadonlyMap<string, string> = new Map([
  ...["mpeg", "mp4", "aac", "ogg", "opus", "webm", "wav", "flac"].map(
    (kind) => [`audio/${kind}`, `audio/${kind}`] as const,
  ),
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-m4a", "audio/mp4"],
  ["audio/m4a", "audio/mp4"],
  ["audio/x-wav", "audio/wav"],
  ["audio/wave", "audio/wav"],
  ["audio/x-flac", "audio/flac"],
]);

/** An envelope stays under 1 MiB, with room for the text and for fields the server adds. */
export const base64Max = 600_000;

export const bytesMax = Math.floor(base64Max / 4) * 3;

type Step = { width: number; height: number; quality: number };

const sides = [2048, 1600, 1280, 1024, 768, 512, 320];
const qualities = [0.85, 0.7];

/** Turns a file into a feature. Rejects with a text for people. */
export async function attachmentOf(file: File): Promise<Attachment> {
  const type = essenceOf(file.type);
  const audioType = audioTypes.get(type);
  if (audioType !== undefined) return audioOf(file, audioType);
  if (imageTypes.has(type)) return imageOf(file, type);
  throw new Error(texts.compose.cannotSend(file.name));
}

async function audioOf(file: File, mimeType: string): Promise<Attachment> {
  if (file.size > bytesMax)
    throw new Error(texts.compose.recordingTooLarge(file.name, sizeText(file.size), sizeText(bytesMax)));
  return { name: file.name, featureName: "audio", feature: await featureOf(file, mimeType, file.name) };
}

async function imageOf(file: File, type: string): Promise<Attachment> {
  const blob = file.size <= bytesMax ? file : await smaller(file);
  const feature = await featureOf(blob, essenceOf(blob.type) || type, file.name);
  return { name: file.name, featureName: "image", feature, previewUrl: URL.createObjectURL(blob) };
}

async function featureOf(blob: Blob, mimeType: string, name: string): Promise<Feature> {
  const value = base64Of(new Uint8Array(await blob.arrayBuffer()));
  if (value === "") throw new Error(texts.compose.emptyFile(name));
  if (value.length > base64Max) throw new Error(texts.compose.fileTooLarge(name));
  const token: Token & { alt: string } = { value, alt: name };
  return { mimeType, tokens: [token] };
}

/** Redraws the image at a size that fits. This also removes metadata such as the location. */
async function smaller(file: File): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(texts.compose.unreadableImage(file.name));
  });
  try {
    for (const step of stepsDown(image.width, image.height)) {
      const blob = await drawn(image, step);
      if (blob !== null && blob.size <= bytesMax) return blob;
    }
  } finally {
    image.close();
  }
  throw new Error(texts.compose.cannotShrink(file.name));
}

async function drawn(image: ImageBitmap, { width, height, quality }: Step): Promise<Blob | null> {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  // A browser that cannot write WebP writes PNG instead; the size decides.
  return new Promise((resolve) => canvas.toBlob(resolve, "image/webp", quality));
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let from = 0; from < bytes.length; from += 8192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192));
  return btoa(binary);
}

/** Sizes and qualities to try, the largest first. Never larger than the image, never below one pixel. */
export function stepsDown(width: number, height: number): Step[] {
  const longest = Math.max(width, height);
  const shown = [
    Math.min(longest, sides[0] ?? longest),
    ...sides.filter((side) => side < longest && side !== sides[0]),
  ];
  return shown.flatMap((side) => {
    const scale = side / longest;
    const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
    return qualities.map((quality) => ({ ...size, quality }));
  });
}
