// Asks TypeScript about a mutant that no test has noticed: `npm test` compiles the code, too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../bootstrap.mjs";
import { mutated } from "./mutants.mjs";

export function createCompiler() {
  const services = new Map();

  /** The first error in the file that the mutant changes; undefined when the file compiles. */
  return function errorOf({ file, id }) {
    const folder = file.split("/").slice(0, 2).join("/");
    const service = services.get(folder) ?? serviceOf(join(root, folder));
    services.set(folder, service);
    const path = join(root, file);
    return service.errorIn(path, mutated(file, readFileSync(path, "utf8"), id));
  };
}

function serviceOf(folder) {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  let changed = { path: "", text: "", version: 0 };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (path === changed.path ? `changed ${changed.version}` : "as it is"),
    getScriptSnapshot(path) {
      const text = path === changed.path ? changed.text : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return {
    errorIn(path, text) {
      changed = { path, text, version: changed.version + 1 };
      const [error] = [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)];
      return error && `TS${error.code} ${ts.flattenDiagnosticMessageText(error.messageText, " ")}`;
    },
  };
}
