import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
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
