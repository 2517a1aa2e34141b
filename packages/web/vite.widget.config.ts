import { defineConfig } from "vite";

/** `<plenary-floor>`: one classic script, so that it knows where it came from. */
export default defineConfig({
  resolve: { conditions: ["@plenary/source", "module", "browser"] },
  build: {
    target: "es2022",
    emptyOutDir: false,
    copyPublicDir: false,
    reportCompressedSize: false,
    lib: { entry: "src/widget/widget.ts", formats: ["iife"], name: "plenaryWidget", fileName: () => "widget.js" },
  },
});
