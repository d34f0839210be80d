import { didYouMean } from '../production-file/wording';
import { Refused } from '../refused';

/** @param names of those that there are. */
export function unknownSchedule(name: string, names: readonly string[]): Refused {
  const near = didYouMean(name, names);
  return new Refused(`no schedule "${name}" is known here; see \`dailies schedule list\`.${near}`);
}

/** The store has it, and Temporal does not, as where its database is another one. */
export function lostSchedule(name: string): Refused {
  return new Refused(
    `Temporal knows nothing of the schedule "${name}"; \`dailies schedule delete ${name}\`, then make it again. ` +
      'Times that have run do not run again',
  );
}
