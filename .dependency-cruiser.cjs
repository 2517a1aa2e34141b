// Who may import whom, as in ARCHITECTURE.md. A package missing here may import nothing and be imported by nobody but cli.
const mayImport = {
  protocol: [],
  floor: ["protocol"],
  transcript: ["protocol", "floor"],
  api: ["protocol", "transcript", "nemo"],
  client: ["protocol", "transcript", "api"],
  sdk: ["protocol", "client"],
  nemo: ["protocol"],
  web: ["protocol", "transcript", "api", "client"],
  agents: ["protocol", "sdk", "floor", "transcript", "nemo"],
  server: ["protocol", "floor", "transcript", "api", "nemo", "sdk"],
  cli: ["protocol", "floor", "transcript", "api", "client", "sdk", "nemo", "web", "agents", "server"],
};
// What tests share lives in a folder of its own beside the sources.
const testFile = "\\.test\\.tsx?$|/src/testing/";
// An import of a workspace by its name counts as local too, but is marked as an alias.
const byRelativePath = { dependencyTypes: ["local"], dependencyTypesNot: ["aliased-workspace"] };
const oneOf = (names) => `^packages/(${names.join("|")})/`;

const packageRules = Object.entries(mayImport).map(([name, imports]) => ({
  name: `${name}-imports`,
  comment: `${name} may import ${imports.join(", ") || "no other package"}`,
  severity: "error",
  from: { path: oneOf([name]) },
  // A test of the floor may read a log as people do.
  to: { path: "^packages/", pathNot: oneOf([name, ...imports, ...(name === "floor" ? ["transcript"] : [])]) },
}));

// The folders of the server, in the order of who may import whom; each may also import the files beside the folders.
const serverFolders = {
  ports: [],
  conversation: ["ports"],
  observability: ["ports", "conversation"],
  store: ["ports", "conversation"],
  delivery: ["ports", "conversation", "observability"],
  webhooks: ["ports", "conversation", "observability", "delivery"],
  auth: ["ports", "conversation", "delivery"],
  agents: ["ports", "conversation", "delivery"],
  archive: ["ports", "conversation", "delivery", "store"],
  routing: ["ports", "conversation", "delivery", "auth"],
  streams: ["ports", "conversation", "delivery", "auth", "routing"],
  relay: ["ports", "conversation", "delivery", "observability", "auth", "routing", "streams"],
  http: [
    "ports",
    "conversation",
    "delivery",
    "observability",
    "auth",
    "agents",
    "archive",
    "routing",
    "streams",
    "relay",
    "webhooks",
  ],
  nemo: ["ports", "conversation", "delivery", "observability", "auth", "agents", "routing", "streams"],
};
const server = "^packages/server/src/";

const serverRules = Object.entries(serverFolders).map(([name, imports]) => ({
  name: `server-${name}-imports`,
  comment: `server/src/${name} may import ${imports.join(", ") || "no other folder"} of the server`,
  severity: "error",
  from: { path: `${server}${name}/`, pathNot: testFile },
  to: { path: `${server}[^/]+/`, pathNot: `${server}(${[name, ...imports].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...packageRules,
    ...serverRules,
    {
      name: "server-conversation-is-the-core",
      comment: "of the files beside the folders, conversation may import errors.ts, limits.ts and stop-signal.ts only",
      severity: "error",
      from: { path: `${server}(conversation|ports)/`, pathNot: testFile },
      to: { path: `${server}[^/]+\\.ts$`, pathNot: `${server}(errors|limits|stop-signal)\\.ts$` },
    },
    {
      name: "server-root",
      comment: "only the composition root (server.ts, compose.ts, context.ts, index.ts) imports http and nemo",
      severity: "error",
      from: { path: `${server}[^/]+\\.ts$`, pathNot: `${server}(server|compose|context|index)\\.ts$` },
      to: { path: `${server}(http|nemo)/` },
    },
    {
      name: "unlisted-package",
      comment: "add the package to mayImport in .dependency-cruiser.cjs",
      severity: "error",
      from: { path: "^packages/", pathNot: oneOf(Object.keys(mayImport)) },
      to: {},
    },
    {
      name: "by-package-name",
      comment: "reach another package by its name, never by a relative path",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: "^packages/$1/", ...byRelativePath },
    },
    {
      name: "by-package-name-from-outside",
      comment: "reach a package by its name, never by a relative path",
      severity: "error",
      from: { pathNot: "^packages/" },
      to: { path: "^packages/", ...byRelativePath },
    },
    {
      name: "pure-core",
      comment:
        "protocol, floor, transcript, api, client and nemo use no Node modules; in all but the client, I/O is an argument",
      severity: "error",
      from: { path: oneOf(["protocol", "floor", "transcript", "api", "client", "nemo"]), pathNot: testFile },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-cycles",
      comment: "no module may reach itself",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "could-not-resolve",
      comment: "every import leads somewhere",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-tests-in-sources",
      comment: "sources do not import tests",
      severity: "error",
      // Everything under test/ is one; it reaches what packages share for tests by name.
      from: { pathNot: `${testFile}|^test/` },
      to: { path: testFile },
    },
    {
      name: "declared-dependencies",
      comment: "a published source uses only the dependencies in its package's package.json",
      severity: "error",
      // The page is published built, with all it needs inside. React is an optional peer of the client.
      from: { path: "^packages/", pathNot: `${testFile}|^packages/web/|^packages/client/src/react\\.ts$` },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "^packages/" },
    },
    {
      name: "declared-dependencies-of-page",
      comment: "the page is built of what its package.json names",
      severity: "error",
      from: { path: "^packages/web/", pathNot: testFile },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], pathNot: "^packages/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^packages/[^/]+/dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.test.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@plenary/source", "types", "import", "node", "default"],
    },
  },
};
