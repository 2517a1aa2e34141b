export type MediaKind = "image" | "audio" | "video";

/** A MIME type without its parameters. */
export function essenceOf(mimeType: string): string {
  return mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Undefined: text, or any other type that is no medium. */
export function mediaKindOf(mimeType: string): MediaKind | undefined {
  const [group] = essenceOf(mimeType).split("/");
  return group === "image" || group === "audio" || group === "video" ? group : undefined;
}
