/** CPU seconds of a fixed piece of work; see calibration.cjs. */
export function calibrationSeconds(): number;
