import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The files of Swagger UI that the API reference loads, and their licences. */
const viewerFiles = {
  "swagger-ui-bundle.js": "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt": "swagger-ui-bundle.js.LICENSE.txt",
  "swagger-ui.css": "swagger-ui.css",
  LICENSE: "LICENSE.txt",
  NOTICE: "NOTICE.txt",
};

function apiReference(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  return {
    name: "api-reference",
    generateBundle() {
      for (const [name, shipped] of Object.entries(viewerFiles)) {
        const source = readFileSync(resolve(`swagger-ui-dist/${name}`));
        this.emitFile({ type: "asset", fileName: `api-reference/${shipped}`, source });
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), apiReference()],
  resolve: { conditions: ["@plenary/source", "module", "browser"] },
  build: {
    target: "es2022",
    // A file of its own for each: the page's policy knows no inline images or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // In kB, before compression; a test holds what is loaded first to 180,000 bytes compressed.
    chunkSizeWarningLimit: 700,
  },
});
