import { isRecord, valuesIn } from "@plenary/protocol";
import type { AccessControl } from "../auth/access.ts";
import type { HeaderReader } from "../auth/origin-check.ts";
import { assertFewEvents, type JsonText, jsonTextOf } from "../conversation/decode.ts";
import { Problem } from "../errors.ts";
import type { RequestLimits } from "../limits.ts";

const jsonTypes = new Set(["application/json", "text/json"]);

/** Reads a body: limited size, UTF-8, content type JSON, not compressed. */
async function readText(request: Request, bytesMax: number): Promise<string> {
  assertKind(request.headers);
  return readBody(request, bytesMax);
}

/** The same, parsed. */
export async function readJsonText(request: Request, bytesMax: number): Promise<JsonText> {
  return jsonTextOf(await readText(request, bytesMax));
}

type AnonymousLimits = { requestLimits: RequestLimits; access: Pick<AccessControl, "payForValues"> };

/** Reads a body without a credential, of any content type, with lower limits. */
export async function readAnonymousJson(
  request: Request,
  address: string,
  context: AnonymousLimits,
): Promise<JsonText> {
  const { anonymousBytesMax: bytesMax, anonymousValuesMax: valuesMax } = context.requestLimits;
  const text = await readBody(request, bytesMax, anonymousFix);
  const values = valuesIn(text, valuesMax);
  if (values > valuesMax) {
    const detail = `without a credential a body has at most ${valuesMax} JSON values`;
    throw new Problem("too-large", { detail, pointer: "", fix: anonymousFix });
  }
  await context.access.payForValues(address, values, text.length);
  const document = jsonTextOf(text);
  if (document.json.ok) assertFewEvents(document.json.value, context.requestLimits);
  return document;
}

const anonymousFix =
  "send a credential: `Authorization: Bearer` with a key of this floor; or send less, and link large media by valueUrl";

async function readBody(request: Request, bytesMax: number, fix?: string): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax, fix);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = request.body?.getReader();
  let text = "";
  let bytes = 0;
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      bytes += next.value.byteLength;
      if (bytes > bytesMax) throw tooLarge(bytesMax, fix);
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new Problem("bad-json", { detail: "the body is not UTF-8" });
    throw error;
  }
}

export function assertKind(headers: HeaderReader): void {
  const given = headers.get("content-type") ?? "";
  const [type = ""] = given === "application/json" ? [given] : given.split(";");
  if (!jsonTypes.has(type.trim().toLowerCase())) {
    throw new Problem("unsupported-media", { detail: `content-type is ${JSON.stringify(type)}` });
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") throw new Problem("unsupported-media", { detail: `content-encoding is ${encoding}` });
}

export function tooLarge(bytesMax: number, fix?: string): Problem {
  const detail = `a body has at most ${bytesMax} bytes${fix === undefined ? "" : " without a credential"}`;
  return new Problem("too-large", { detail, ...(fix !== undefined && { fix }) });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a complete body. */
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
  return jsonObjectIn(jsonTextOf(text === "" ? "{}" : text));
}

/** Parses one object as strictly as an envelope, for example without duplicate keys. */
export function jsonObjectIn({ json }: Pick<JsonText, "json">): Record<string, unknown> {
  if (!json.ok) {
    const [issue] = json.issues;
    throw new Problem("bad-json", { ...(issue && { detail: issue.problem, pointer: issue.path, fix: issue.fix }) });
  }
  if (isRecord(json.value)) return json.value;
  throw new Problem("bad-request", { detail: "the body is not a JSON object", pointer: "" });
}
