import type { Heads } from "../admit.ts";
import { Problem } from "../errors.ts";
import { isRecord } from "../record.ts";

const jsonTypes = new Set(["application/json", "text/json"]);

/** The text of a request: bounded while it arrives, UTF-8, called JSON, not compressed. */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  assertKind(request.headers);
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = request.body?.getReader();
  let text = "";
  let bytes = 0;
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      bytes += next.value.byteLength;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new Problem("bad-json", { detail: "the body is not UTF-8" });
    throw error;
  }
}

export function assertKind(headers: Heads): void {
  const given = headers.get("content-type") ?? "";
  const [type = ""] = given === "application/json" ? [given] : given.split(";");
  if (!jsonTypes.has(type.trim().toLowerCase())) {
    throw new Problem("unsupported-media", { detail: `content-type is ${JSON.stringify(type)}` });
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") throw new Problem("unsupported-media", { detail: `content-encoding is ${encoding}` });
}

export function tooLarge(bytesMax: number): Problem {
  return new Problem("too-large", { detail: `a body has at most ${bytesMax} bytes` });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a body that has arrived whole. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) throw new Problem("bad-json", { detail: "the body is not UTF-8" });
    throw cause;
  }
}

export async function readJsonObject(request: Request, bytesMax: number): Promise<Record<string, unknown>> {
  const text = await readText(request, bytesMax);
  let value: unknown;
  try {
    value = JSON.parse(text === "" ? "{}" : text);
  } catch (error) {
    throw new Problem("bad-json", { detail: error instanceof Error ? error.message : "it cannot be parsed" });
  }
  if (!isRecord(value)) throw new Problem("bad-request", { detail: "the body is one JSON object", pointer: "" });
  return value;
}
