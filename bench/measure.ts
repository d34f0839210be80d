import { type Finding, quantitiesInWords } from './finding';

/** A measurement of `npm run bench`. */
export interface Measure {
  readonly title: string;
  /** Text for people: describes the work and its duration. */
  readonly notice?: string;
  /** Parts run one after another. If one fails, the others still run. */
  readonly parts: (numbers: readonly number[]) => readonly Part[];
}

export interface Part {
  readonly title: string;
  /** @throws Error if the part cannot be measured, for example because a program is missing. */
  readonly measure: () => Promise<readonly Finding[]>;
}

export interface Measured {
  readonly findings: readonly Finding[];
  /** Titles of the parts that failed. */
  readonly missing: readonly string[];
}

const TITLE_WIDTH = 34;

/**
 * Runs all parts of a measure. Prints the findings of each part, or the reason why the part failed. A part also fails
 * if one of its values is not a finite number.
 */
export async function runMeasure(
  { title, notice, parts }: Measure,
  numbers: readonly number[],
  print: (line: string) => void,
): Promise<Measured> {
  print(`\n${title}${notice === undefined ? '' : `. ${notice}`}`);
  const findings: Finding[] = [];
  const missing: string[] = [];
  for (const part of parts(numbers)) {
    try {
      const found = await part.measure();
      const lacking = found.find(({ quantities }) => quantities.some(({ values }) => !values.every(Number.isFinite)));
      if (lacking !== undefined) throw new Error(`${lacking.title} has a value that is not a finite number`);
      for (const finding of found) print(`  ${finding.title.padEnd(TITLE_WIDTH)}  ${quantitiesInWords(finding)}`);
      findings.push(...found);
    } catch (error) {
      missing.push(part.title);
      const reason = error instanceof Error ? error.message : String(error);
      print(`  ${part.title.padEnd(TITLE_WIDTH)}  COULD NOT BE MEASURED: ${reason}`);
    }
  }
  return { findings, missing };
}
