import { existsSync, readdirSync } from "node:fs";

const packages = readdirSync("packages").map((name) => `packages/${name}`);

export default {
  // A package without sources yet makes no use of its dependencies.
  ignoreWorkspaces: packages.filter((path) => !existsSync(`${path}/src`)),
  // Started by their path: dependency-cruiser by scripts/check-imports.mjs, the runtimes by test/client.
  ignoreDependencies: ["dependency-cruiser", "esbuild"],
  workspaces: {
    ".": {
      entry: [
        "scripts/*.mjs",
        "scripts/mutation/{lane,setup}.mjs",
        "bench/**/*.bench.mjs",
        "conformance/**/*.test.ts",
        "test/**/*.test.ts",
      ],
      project: ["scripts/**/*.mjs", "bench/**/*.mjs", "conformance/**/*.ts", "test/**/*.ts"],
    },
    "packages/cli": {
      entry: ["src/main.ts", "src/**/*.test.ts"],
      project: ["src/**/*.ts"],
      // The bundle of the command loads it.
      ignoreDependencies: ["better-sqlite3"],
    },
    "packages/client": {
      entry: ["src/index.ts", "src/host.ts", "src/react.ts", "src/**/*.test.ts"],
      project: ["src/**/*.ts"],
      // An optional peer dependency.
      ignoreDependencies: ["react"],
    },
    "packages/web": {
      // A browser test bundles the stage.
      entry: [
        "src/main.tsx",
        "index.html",
        "vite.config.ts",
        "vite.widget.config.ts",
        "src/widget/widget.ts",
        "src/**/*.test.{ts,tsx}",
        "src/features/testing/stage.tsx",
        "public/api-reference/reference.js",
      ],
      project: ["src/**/*.{ts,tsx}", "public/**/*.js"],
      // vite.config.ts copies its files by their paths.
      ignoreDependencies: ["swagger-ui-dist"],
    },
    "packages/*": {
      entry: ["src/index.ts", "src/**/*.test.ts"],
      project: ["src/**/*.ts"],
    },
  },
};
