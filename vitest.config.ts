import { defineConfig } from "vitest/config";

const nightly = process.env.PLENARY_NIGHTLY === "1";
// A bound against hanging, not a measure of speed: two cores may be busy with other things.
const timeoutMs = nightly ? 3_600_000 : 300_000;

// Naming conditions replaces Vite's own list, so its defaults for Node follow ours; all but `module`, under which packages
// offer what only a bundler can load, and what is not bundled here Node loads.
const conditions = ["@plenary/source", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "conformance/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: "test/support/contract/global-setup.mjs",
    pool: "forks",
    // Tests wait more than they compute: three keep two cores busy.
    maxWorkers: 3,
    allowOnly: false,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: 60_000 } },
  },
});
