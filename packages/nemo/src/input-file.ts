import { isRecord } from "@plenary/protocol";
import { type Fault, fault, isFault } from "./fault.ts";

/**
 * Turns an `input_file` of OpenAI into a part that a floor can carry: text, image, audio or video. A file with an address
 * becomes a text with that address. Other parts stay unchanged.
 */
function withoutFile(part: unknown, place: string): unknown | Fault {
  if (!isRecord(part) || part.type !== "input_file") return part;
  const { file_data: data, file_url: url, filename } = part;
  const name = typeof filename === "string" ? filename.slice(0, nameMax) : "file";
  if (typeof url === "string" && url !== "") return { type: "input_text", text: `[${name}: ${url}]` };
  if (typeof data !== "string" || data === "") {
    return fault(
      "invalid_data_content",
      `${place} has no file_data and no file_url, and no files are kept here; send one of the two.`,
    );
  }
  const [, type = "", base64 = ""] = dataUrl.exec(data) ?? [];
  const kind = type.toLowerCase().split("/")[0];
  if (kind === "image") return { type: "input_image", image_url: data };
  if (kind === "video") return { type: "input_video", video_url: data };
  if (kind === "audio")
    return { type: "input_audio", input_audio: { data: base64, format: type.slice("audio/".length) } };
  const text = kind === "text" || type === "application/json" ? textIn(base64) : undefined;
  if (text !== undefined) return { type: "input_text", text: `${name}:\n\n${text}` };
  const details = `${place}.file_data is neither text in UTF-8 nor an image, a sound or a video as data:TYPE;base64,...; send one of them, or file_url.`;
  return fault("invalid_data_content", details);
}

const nameMax = 200;
const dataUrl = /^data:([a-z]+\/[\w.+-]{1,60})(?:;[^;,]{0,100})*;base64,([\w+/=-]*)$/isu;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Undefined when it is not UTF-8. */
function textIn(base64: string): string | undefined {
  let [bits, count, escaped] = [0, 0, ""];
  for (const digit of base64.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "")) {
    bits = ((bits << 6) | alphabet.indexOf(digit)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    escaped += `%${((bits >> count) & 0xff).toString(16).padStart(2, "0")}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Applies `withoutFile` to all parts of a message. */
export function withoutFiles(item: unknown, place: string): unknown | Fault {
  if (!isRecord(item) || !Array.isArray(item.content)) return item;
  const content = item.content.map((part, index) => withoutFile(part, `${place}.content[${index}]`));
  return content.find(isFault) ?? { ...item, content };
}
