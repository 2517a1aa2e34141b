import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { asyncApi, openApi } from "@plenary/api";
import type { FloorContext } from "../../context.ts";
import type { PageFile } from "../../ports/page-files.ts";
import type { Mount } from "../../routing/guards.ts";
import { sendFile } from "../file-response.ts";

const noReference = {
  detail: "this floor has no API reference, or no such file of it",
  fix: "read /openapi.json: it describes the same operations",
};

/** The descriptions of the API, and the reference that shows them. */
export function mountApiDocuments(mount: Mount, { version, url, page }: FloorContext): void {
  const openApiFile = createDocument(() => openApi({ version, url }));
  const asyncApiFile = createDocument(() => asyncApi({ version, url }));
  mount("GET /openapi.json", (c) => sendFile(c, openApiFile()));
  mount("GET /asyncapi.json", (c) => sendFile(c, asyncApiFile()));
  mount("GET /docs/api", (c) => sendFile(c, page?.file("api-reference/index.html"), noReference));
  mount("GET /docs/api/:name", (c) => sendFile(c, page?.file(`api-reference/${c.req.param("name")}`), noReference));
}

/** Written at the first request: the address is known when the server listens. */
function createDocument(write: () => unknown): () => PageFile {
  let file: PageFile | undefined;
  return () => {
    file ??= fileOf(Buffer.from(JSON.stringify(write())));
    return file;
  };
}

function fileOf(bytes: Buffer<ArrayBuffer>): PageFile {
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  return { bytes, type: "application/json", etag, isImmutable: false, gzip: gzipSync(bytes) };
}
