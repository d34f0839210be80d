import { type CheckedTemplate } from '../../client/schedules';
import { Refused } from '../../client/wording/refused';
import { checkHook } from '../../gateway';
import { type Config } from '../../workers/config/config';
import { tell } from '../process/streams';

/**
 * Checks, before anything is paid for, whether notices could be posted to an address. If no connection is possible now,
 * only prints a warning, because posts are retried for a day.
 *
 * @throws Refused if this machine's workers would never post to the address.
 */
export async function checkNotifyTarget(
  { notifyHosts, temporalAddress }: Config,
  url: string | undefined,
): Promise<void> {
  if (url === undefined) return;
  const trouble = await checkHook(url, { allowedPrivateHosts: notifyHosts });
  if (trouble === undefined) return;
  // The workers of a configured Temporal server may have another environment and network.
  const isOurs = temporalAddress === undefined;
  if (isOurs && trouble.kind === 'refused-address') throw new Refused(`notify: ${trouble.message}`);
  tell(
    isOurs
      ? `notify: ${trouble.message}. The command continues; notices are retried for 24 hours.`
      : `notify: from this machine, ${trouble.message}. The command continues: the workers may run on another machine.`,
  );
}

/** The address for notices in a production or batch file; undefined if there is none. */
export function notifyUrlOf(template: CheckedTemplate): string | undefined {
  return 'batch' in template ? template.batch.notify?.url : template.production.notify?.url;
}
