import { type CheckedTemplate } from '../client/schedules';
import { Refused } from '../client/refused';
import { lookAtHook } from '../gateway';
import { type Config } from '../workers/config';
import { tell } from './streams';

/**
 * Looks whether notices could be posted, before anything is paid for. Nobody who answers later is missed: they are posted
 * for a day.
 *
 * @throws Refused for an address that the workers would never post to.
 */
export async function checkNotifyTarget(
  { notifyHosts, temporalAddress }: Config,
  url: string | undefined,
): Promise<void> {
  if (url === undefined) return;
  const trouble = await lookAtHook(url, { allowedPrivateHosts: notifyHosts });
  if (trouble === undefined) return;
  // Workers beside a Temporal server of the person's have an environment and a network of their own.
  const isOurs = temporalAddress === undefined;
  if (isOurs && trouble.kind === 'refused-address') throw new Refused(`notify: ${trouble.message}`);
  tell(
    isOurs
      ? `notify: ${trouble.message}. It goes on; notices are posted for 24 hours.`
      : `notify, as seen from here: ${trouble.message}. The workers post from where they run.`,
  );
}

/** The address that a production or batch file names. */
export function notifyUrlOf(template: CheckedTemplate): string | undefined {
  return 'batch' in template ? template.batch.notify?.url : template.production.notify?.url;
}
