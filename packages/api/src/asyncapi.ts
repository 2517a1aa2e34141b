import type * as Type from "typebox";
import { channels, closeCodes } from "./frames.ts";
import { createSchemaWriter } from "./json-schema.ts";

type Document = Record<string, unknown>;
type Messages = Readonly<Record<string, Type.TSchema>>;

/** The AsyncAPI 3.0 document of the sockets and streams of a floor. */
export function asyncApi({ version, url }: { version: string; url: string }): Document {
  const { write, schemas } = createSchemaWriter();
  const { host } = new URL(url);
  const isSecure = url.startsWith("https:");
  const messages: Record<string, Document> = {};
  const written: Record<string, Document> = {};
  const operations: Record<string, Document> = {};
  for (const [name, { address, description, from, to }] of Object.entries(channels)) {
    const all: Messages = { ...from, ...to };
    for (const [message, schema] of Object.entries(all)) messages[message] = { name: message, payload: write(schema) };
    written[name] = {
      address,
      description,
      messages: Object.fromEntries(
        Object.keys(all).map((message) => [message, { $ref: `#/components/messages/${message}` }]),
      ),
    };
    const operation = (action: "send" | "receive", list: Messages): Document => ({
      action,
      channel: { $ref: `#/channels/${name}` },
      messages: Object.keys(list).map((message) => ({ $ref: `#/channels/${name}/messages/${message}` })),
    });
    // AsyncAPI describes the application, here the floor: it sends what clients receive.
    operations[`${name}Send`] = operation("send", from);
    if (Object.keys(to).length > 0) operations[`${name}Receive`] = operation("receive", to);
  }
  const codes = Object.entries(closeCodes).map(([code, meaning]) => `- ${code}: ${meaning}`);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Plenary streams",
      version,
      description: `The parameters of each address are in /openapi.json. A socket closes with a code:\n\n${codes.join("\n")}`,
    },
    servers: {
      floor: { host, protocol: isSecure ? "wss" : "ws", description: "This floor." },
      floorHttp: { host, protocol: isSecure ? "https" : "http", description: "Server-Sent Events." },
    },
    defaultContentType: "application/json",
    channels: written,
    operations,
    components: { messages, schemas: schemas() },
  };
}
