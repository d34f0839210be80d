import { type Finding, quantityInWords, roundsOf } from './finding';
import { machineInWords } from './machine';
import { MEASURES } from './measures';
import { withSection } from './page-section';
import { placeOf, savedMeasure, type SavedMeasure } from './saved';

/** The saved result of every measure, by its name; undefined if the measure was not saved. */
export type Kept = Readonly<Record<string, SavedMeasure | undefined>>;

/** Reads the saved results of all measures. @param docs the folder of the pages. */
export async function keptMeasures(docs: string): Promise<Kept> {
  const kept: Record<string, SavedMeasure | undefined> = {};
  for (const name of Object.keys(MEASURES)) kept[name] = await savedMeasure(docs, name);
  return kept;
}

/**
 * Replaces the section `alone` of the page: the table of the measures of Dailies alone, and its sources.
 *
 * @throws Error if the page lacks the marks of this section.
 */
export function pageWith(page: string, kept: Kept): string {
  return withSection(page, 'alone', [...tableOf(kept), '', ...sourcesOf(kept)].join('\n').trimEnd());
}

function tableOf(kept: Kept): readonly string[] {
  const rows = Object.entries(MEASURES).flatMap(([name, { title }]) => {
    const findings = kept[name]?.findings;
    if (findings === undefined) return [`| **${title}** | not measured yet | |`];
    return [`| **${title}** | | |`, ...findings.map(rowOf)];
  });
  return ['| measure | median (range) | rounds |', '| --- | --- | --: |', ...rows];
}

function rowOf(finding: Finding): string {
  // Each quantity gets a line, because some findings have eight quantities.
  const quantities = finding.quantities.map((quantity) => cell(quantityInWords(quantity))).join('<br>');
  return `| ${cell(finding.title)} | ${quantities} | ${roundsOf(finding)} |`;
}

/** Measures of the same day and machine share a line. */
function sourcesOf(kept: Kept): readonly string[] {
  const sources = new Map<string, string[]>();
  for (const saved of Object.values(kept)) {
    if (saved === undefined) continue;
    const source = `${saved.date}, ${machineInWords(saved.machine).join(' ')}`;
    sources.set(source, [...(sources.get(source) ?? []), `[${saved.name}.json](${placeOf(saved.name)})`]);
  }
  return [...sources].flatMap(([source, files]) => [`${source}. Raw figures: ${files.join(', ')}.`, '']);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
