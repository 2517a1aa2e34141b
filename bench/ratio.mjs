// Two ways of doing something, measured against each other in one run.

const roundsMax = 201;
const warmUpRounds = 50;
// Shorter than the turns a busy machine gives to each process, so that most slices run undisturbed.
const sliceMs = 2;

/**
 * Runs both sides in short interleaved slices, so that a busy machine slows both. Returns the median over the rounds of
 * time(subject) / time(reference), the same for CPU time, and the median time of each in microseconds.
 */
export function compare(subject, reference) {
  const times = timesPerSlice(reference);
  const rounds = [];
  for (let round = -warmUpRounds; round < roundsMax; round += 1) {
    // Who goes second finds the caches warm and the garbage of the first: take turns.
    const referenceFirst = round % 2 === 0;
    const before = referenceFirst ? measure(reference, times) : undefined;
    const of = measure(subject, times);
    const to = before ?? measure(reference, times);
    if (round >= 0) rounds.push({ of, to });
  }
  return {
    ratio: median(rounds.map(({ of, to }) => of.wallUs / to.wallUs)),
    cpuRatio: median(rounds.map(({ of, to }) => of.cpuUs / to.cpuUs)),
    subjectUs: median(rounds.map(({ of }) => of.wallUs / times)),
    referenceUs: median(rounds.map(({ to }) => to.wallUs / times)),
  };
}

/** A benchmark's verdict, the line that `npm run bench` looks for. */
export function verdict(name, ratio, target, passed) {
  console.log(`${name} ${ratio.toFixed(2)} ${target.toFixed(1)} ${passed ? "pass" : "fail"}`);
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function timesPerSlice(run) {
  let times = 1;
  while (measure(run, times).wallUs < sliceMs * 1000) times *= 2;
  return times;
}

function measure(run, times) {
  let last;
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  for (let n = 0; n < times; n += 1) last = run();
  const wallUs = (performance.now() - before) * 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  // Looked at, so that no compiler may find the work useless.
  if (last === undefined) throw new Error("what is measured returns its result");
  return { wallUs, cpuUs: user + system };
}

export function percentile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
