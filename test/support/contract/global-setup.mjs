import { beginReport, endReport, faultText } from "./report.mjs";

/** A run of some tests fails when a floor gives an answer that does not match the contract. scripts/test.mjs has its own report. */
export default function setup() {
  if (process.env.PLENARY_CONTRACT !== undefined) return undefined;
  const file = beginReport();
  return () => {
    const text = faultText(endReport(file).faults);
    if (text === undefined) return;
    // Vitest prints an error of a teardown, and reports success.
    process.exitCode = 1;
    console.error(text);
  };
}
