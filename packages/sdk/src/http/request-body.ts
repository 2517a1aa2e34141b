export type BodyProblem = { status: 400 | 413; title: string; detail: string };

/** Reads the body as text. Its size is counted while it streams, because the Content-Length header is not reliable. */
export async function readText(request: Request, bytesMax: number): Promise<string | BodyProblem> {
  const detail = `an envelope may have at most ${bytesMax} bytes`;
  const tooLarge: BodyProblem = { status: 413, title: "Envelope too large", detail };
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return tooLarge;
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoded(chunks);
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes <= bytesMax) continue;
    await reader.cancel();
    return tooLarge;
  }
}

function decoded(chunks: readonly Uint8Array[]): string | BodyProblem {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  } catch {
    return { status: 400, title: "Invalid UTF-8", detail: "send the envelope as UTF-8 text" };
  }
}
