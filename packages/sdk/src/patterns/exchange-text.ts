import type { Dialler, DialRequest } from "../dial.ts";

/** One request, and the whole answer as text; how long it may be is the dialler's matter. */
export async function exchangeText(dialler: Dialler, request: DialRequest): Promise<{ status: number; text: string }> {
  const { status, body } = await dialler.dial(request);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return { status, text: text + decoder.decode() };
}
