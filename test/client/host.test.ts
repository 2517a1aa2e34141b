import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("@plenary/client/host loads no other package than the protocol", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'export * from "@plenary/client/host";',
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    conditions: ["@plenary/source"],
    external: ["@plenary/protocol"],
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs).filter((file) => file !== "<stdin>");
  expect(inputs.filter((file) => !file.startsWith("packages/client/src/"))).toEqual([]);
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  expect(imports).toEqual(["@plenary/protocol"]);
});
