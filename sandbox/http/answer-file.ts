import type { AppOptions } from './app-options';
import { isRedirecting, redirectForEver } from '../faults/break-file';
import type { WireContext } from './wire-context';
import { RequestRefused } from './request-refused';
import { serveFile } from './serve-file';

/**
 * Answers GET and HEAD for a task's file.
 *
 * @throws RequestRefused 403 if the file's address has expired, 404 if there is no such file.
 */
export async function answerFile(
  context: WireContext,
  { taskId, name }: { readonly taskId: string; readonly name: string },
  { faults, filesFolder, readLog }: AppOptions,
): Promise<Response> {
  const { raw, url } = context.req;
  if (isRedirecting(url)) return redirectForEver({ url });
  if (readLog.areAddressesExpired(taskId)) {
    throw new RequestRefused(
      403,
      'expired_address',
      "This address has expired; read the task's result again to get a new one.",
    );
  }
  const answer = await serveFile(filesFolder, taskId, name, raw);
  if (!answer.ok || !answer.body) return answer;
  const broken = await faults.outcome('file', { wire: context.var.wire, url, answer });
  if (broken && !answer.bodyUsed) await answer.body.cancel();
  return broken ?? answer;
}
