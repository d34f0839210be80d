import { ID_PATTERN, SCHEDULE_NAME_MAX } from '../../contracts/identifiers';
import { shown } from '../wording/phrases';
import { Refused } from '../wording/refused';

/** @throws Refused for a name that ends in `-hand`, or that cannot be part of a run's id. */
export function checkScheduleName(name: string): void {
  if (/-hand$/.test(name)) {
    throw new Refused(
      `${shown(name)} is not allowed, since it ends in -hand: ids of its runs could be those of another schedule's runs by hand`,
    );
  }
  if (ID_PATTERN.test(name) && name.length <= SCHEDULE_NAME_MAX) return;
  throw new Refused(
    `${shown(name)} is not a valid schedule name; use at most ${SCHEDULE_NAME_MAX} letters, digits, dots, dashes and ` +
      'underscores, and start with a letter or digit, since the ids of its runs begin with the name',
  );
}
