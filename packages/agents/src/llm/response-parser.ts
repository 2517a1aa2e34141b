import { EventTooLongError, readEventStream, type StreamedEvent } from "@plenary/protocol";
import type { AnswerPart, Ending } from "./answer-parts.ts";
import { fieldsOf, ModelError, refusal } from "./model-error.ts";

/** Much more than any answer, including its reasoning. */
const bytesMax = 16_777_216;
/** Of one event. */
const eventCharsMax = 262_144;
const documentCharsMax = 4_194_304;

/**
 * Reads the response of a chat completion: server-sent events with one JSON document each, ended by [DONE], or one
 * document from endpoints that do not stream.
 */
export async function* partsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<AnswerPart> {
  const pieces = textOf(body);
  let head = "";
  for await (const piece of pieces) {
    head += piece;
    const first = head.trimStart().charAt(0);
    if (first === "") continue;
    if (first === "<")
      throw new ModelError("garbled", "the model answered with a page of HTML: is the base URL right?");
    return yield* first === "{" ? documentParts(head, pieces) : streamParts(head, pieces);
  }
  throw new ModelError("garbled", "the model answered with nothing");
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ModelError("garbled", `the answer of the model has more than ${bytesMax} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

async function* streamParts(head: string, more: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  try {
    for await (const event of readEventStream(chain(head, more), { eventCharsMax })) {
      for (const part of partsOf(event)) {
        yield part;
        if (part.kind !== "text") return;
      }
    }
  } catch (error) {
    if (!(error instanceof EventTooLongError)) throw error;
    throw new ModelError("garbled", `the model sent an event of more than ${eventCharsMax} characters`);
  }
  throw new ModelError("broken", "the response of the model is incomplete");
}

async function* chain(head: string, more: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* more;
}

function* partsOf({ event, data }: StreamedEvent): Generator<AnswerPart> {
  if (data.trim() === "[DONE]") return yield { kind: "complete" };
  const document = parsed(data);
  if (event === "error") throw refusal(undefined, document);
  throwErrorIn(document);
  const { delta, finish_reason } = choiceIn(document);
  yield* spokenIn(fieldsOf(delta));
  const ending = endingOf(finish_reason);
  if (ending !== undefined) yield ending;
}

async function* documentParts(head: string, more: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  let text = head;
  for await (const piece of more) {
    text += piece;
    if (text.length > documentCharsMax) throw new ModelError("garbled", "the answer of the model is too long");
  }
  const document = parsed(text);
  throwErrorIn(document);
  const choice = choiceIn(document);
  if (choice.message === undefined) throw new ModelError("garbled", "the answer of the model has no message");
  yield* spokenIn(fieldsOf(choice.message));
  yield endingOf(choice.finish_reason) ?? { kind: "complete" };
}

/** Without the cause: the message of JSON.parse quotes the answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError("garbled", "the model sent something that is not JSON");
  }
}

function throwErrorIn(document: unknown): void {
  const { error, object } = fieldsOf(document);
  if ((error !== undefined && error !== null) || object === "error") throw refusal(undefined, document);
}

function choiceIn(document: unknown): Record<string, unknown> {
  const { choices } = fieldsOf(document);
  return Array.isArray(choices) ? fieldsOf(choices[0]) : {};
}

/** Skips tool calls, because the request offers no tools, and reasoning. */
function* spokenIn({ content, refusal: declined }: Record<string, unknown>): Generator<AnswerPart> {
  const parts: unknown[] = Array.isArray(content) ? content.map((part) => fieldsOf(part).text) : [content];
  for (const text of [...parts, declined]) {
    if (typeof text === "string" && text !== "") yield { kind: "text", text };
  }
}

function endingOf(reason: unknown): Ending | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  if (reason === "length") return { kind: "length" };
  return reason === "content_filter" ? { kind: "filtered" } : { kind: "complete" };
}
