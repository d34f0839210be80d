import { didYouMean } from '../wording/phrases';
import { wrongAccount, Refused } from '../wording/refused';
import { type FrozenSchedule } from '../../store';

/** @param names existing schedules, of which the message may suggest one. */
export function unknownSchedule(name: string, names: readonly string[]): Refused {
  const near = didYouMean(name, names);
  return new Refused(`no schedule "${name}" is known here; see \`dailies schedule list\`.${near}`);
}

/**
 * The store has the schedule and Temporal does not. Causes: Temporal uses another database, `create` or `delete` was
 * interrupted, or somebody deleted the schedule in Temporal.
 */
export function lostSchedule(name: string, { given = false }: Pick<FrozenSchedule, 'given'>): Refused {
  const maker = given ? 'the program that created it' : `\`dailies schedule create ${name}\``;
  return new Refused(
    `Temporal does not have the schedule "${name}"; ${maker} creates it again, ` +
      `\`dailies schedule delete ${name}\` deletes it. Times that have run do not run again`,
  );
}

/** Temporal has the schedule and the store does not. */
export function strangeSchedule(name: string): Refused {
  return new Refused(
    `Temporal has a schedule "${name}" of which this store knows nothing; \`dailies schedule delete ${name}\` ends it`,
  );
}

export function takenSchedule(name: string): Refused {
  return new Refused(
    `there is a schedule "${name}"; \`dailies schedule update ${name}\` changes it, or choose another name`,
  );
}

export function foreignSchedule(name: string, payer: string, account: string): Refused {
  return wrongAccount(`schedule "${name}" renders`, payer, account);
}

export function pausedSchedule(name: string): Refused {
  return new Refused(
    `schedule "${name}" is paused, and begins nothing; resume it (\`dailies schedule resume ${name}\`), then ask for these times again`,
  );
}
