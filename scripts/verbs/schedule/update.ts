import { checkTemplate, closingTemplate } from '../../../client/schedules';
import { absolute } from '../../../client/wording/working-folder';
import { openOwnStore } from '../../../workers/store/own-store';
import { readConfig } from '../../process/command-config';
import { EXIT, type ExitCode } from '../../process/exit-codes';
import { checkNotifyTarget, notifyUrlOf } from '../../session/notify-target';
import { printSchedule, tellWhenItFires } from '../../wording/schedule-report';
import { openSession } from '../../session/session';
import { askBeforeSpending } from '../../session/which-ledger';
import { type CreateOptions } from './create';

/** Changes the file, times, rules, note or output folder of a schedule. */
export async function update(
  name: string,
  file: string | undefined,
  { json, out, ...options }: CreateOptions,
): Promise<ExitCode> {
  const config = readConfig(file);
  const template = file === undefined ? undefined : await checkTemplate(name, file, config);
  return closingTemplate(template, async () => {
    await checkNotifyTarget(config, template === undefined ? undefined : notifyUrlOf(template));
    const store = await openOwnStore(config);
    if (template !== undefined) await askBeforeSpending(config, store);
    const session = await openSession(config, store);
    try {
      const place = out === undefined ? {} : { out: absolute(out) };
      const change = { ...options, ...place, ...(template === undefined ? {} : { template }) };
      printSchedule(await session.client.schedules.update(name, change), json);
      await tellWhenItFires(session);
      return EXIT.completed;
    } finally {
      await session.close();
    }
  });
}
