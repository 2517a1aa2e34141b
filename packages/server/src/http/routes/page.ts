import type { PageFiles } from "../../ports/page-files.ts";
import type { Mount } from "../../routing/guards.ts";
import { securityHeaders, sendFile } from "../file-response.ts";

const noPage = "This floor is running. It has no web page. The API is described in /openapi.json.\n";

export function mountPage(mount: Mount, page: PageFiles | undefined): void {
  mount("GET /", (c) => {
    const index = page?.file("index.html");
    return index === undefined ? c.text(noPage, 200, securityHeaders) : sendFile(c, index);
  });
  mount("GET /favicon.svg", (c) => sendFile(c, page?.file("favicon.svg")));
  mount("GET /widget.js", (c) => {
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    return sendFile(c, page?.file("widget.js"));
  });
  mount("GET /assets/:name", (c) => sendFile(c, page?.file(`assets/${c.req.param("name")}`)));
}
