/** A title for people from a step's name in the toolkit, and whether the name says that the step is complete. */
export function stepTitle(name: string): { title: string; isComplete: boolean } {
  const [, phase, fn = ""] = /^Function (Start|Complete): (.*)$/su.exec(name) ?? [];
  if (phase !== undefined) return { title: actionTitle(fn), isComplete: phase === "Complete" };
  const [, tool] = /^Tool: (.*)$/su.exec(name) ?? [];
  // The toolkit names a step of a model after the model.
  return { title: tool === undefined ? `Thinking (${clipped(name)}) ...` : actionTitle(tool), isComplete: false };
}

/** `search_flights` is "Searching flights ...", `flight_tool` is "Running flight tool ...". */
function actionTitle(name: string): string {
  const own = wordsOf(name);
  if (own.length === 0 || own.join(" ") === "workflow") return "Running the workflow ...";
  // `travel.search_flights` and `travel__search_flights`: a function of a group.
  const words = [own, wordsOf(name.split(/\.|__/u).at(-1) ?? "")].find(([verb = ""]) => Object.hasOwn(verbs, verb));
  if (words === undefined) {
    const kind = kinds.has(own.at(-1) ?? "") ? "" : " tool";
    return `Running ${clipped(own.join(" "))}${kind} ...`;
  }
  const [verb = "", ...rest] = words;
  return `${clipped([verbs[verb], ...rest].join(" "))} ...`;
}

function wordsOf(name: string): string[] {
  const apart = name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ").toLowerCase();
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

const charsMax = 150;

function clipped(words: string): string {
  return [...words.slice(0, charsMax)].join("");
}

const kinds: ReadonlySet<string> = new Set(["tool", "agent", "workflow", "function"]);

const verbs: Readonly<Record<string, string>> = {
  add: "Adding",
  analyze: "Analyzing",
  answer: "Answering",
  ask: "Asking",
  book: "Booking",
  build: "Building",
  calculate: "Calculating",
  call: "Calling",
  cancel: "Cancelling",
  check: "Checking",
  compare: "Comparing",
  compute: "Computing",
  convert: "Converting",
  count: "Counting",
  create: "Creating",
  delete: "Deleting",
  divide: "Dividing",
  download: "Downloading",
  execute: "Executing",
  extract: "Extracting",
  fetch: "Fetching",
  find: "Finding",
  generate: "Generating",
  get: "Getting",
  list: "Listing",
  load: "Loading",
  look: "Looking",
  lookup: "Looking up",
  make: "Making",
  multiply: "Multiplying",
  open: "Opening",
  parse: "Parsing",
  plan: "Planning",
  query: "Querying",
  read: "Reading",
  retrieve: "Retrieving",
  review: "Reviewing",
  run: "Running",
  save: "Saving",
  scan: "Scanning",
  search: "Searching",
  send: "Sending",
  sort: "Sorting",
  subtract: "Subtracting",
  summarize: "Summarizing",
  translate: "Translating",
  update: "Updating",
  upload: "Uploading",
  validate: "Validating",
  verify: "Verifying",
  wait: "Waiting",
  write: "Writing",
};
