import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { tell } from '../process/streams';
import { expectedInWords, isWorthPrinting } from '../../client/plan/expected-in-words';
import { type Progress } from './progress';
import { filmInWords, shotInWords, STARTS } from '../../client/status/progress-in-words';

/** Prints one line per change. Each line is complete by itself, for logs. */
export function startPlainProgress(first: ProductionStatus): Progress {
  const told = new Map<string, string>();
  const tellChange = (name: string, words: string): void => {
    if (words === '' || words === STARTS || told.get(name) === words) return;
    told.set(name, words);
    tell(`${name}: ${words}`);
  };
  let lastExpected: ManifestExpected | null = null;
  const update = (status: ProductionStatus, expected: ManifestExpected | null): void => {
    for (const shot of status.shots) if (shot.state !== 'pending') tellChange(shot.id, shotInWords(shot));
    // This name contains a space, so no shot can have the same name.
    tellChange('the film', filmInWords(status));
    if (expected === null || !isWorthPrinting(lastExpected, expected, Date.now())) return;
    tell(`the film: ${expectedInWords(expected, Date.now())}`);
    lastExpected = expected;
  };
  update(first, null);
  return { update, end: () => Promise.resolve() };
}
