import { formatIssues, loadProduction } from '../../client/production-file';
import { shotsInWords } from '../../client/status/shots-in-words';
import { type OutputKind } from '../../contracts/gateway/models';
import { readFileValuePolicy } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { printJson, print, tell } from '../process/streams';

/**
 * Checks a production file as `render` would, except for two requirements on this machine: a secret for notices, and an
 * ffmpeg that draws text. Sends and stores nothing, and needs no gateway.
 */
export async function validate(file: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const loaded = await loadProduction(file, { ...readFileValuePolicy(), signsNotices: true });
  if (json === true) printJson({ valid: loaded.ok, issues: loaded.ok ? [] : loaded.issues });
  if (!loaded.ok) {
    tell(formatIssues(loaded.issues).split('\n'));
    return EXIT.refused;
  }
  const { id, shots } = loaded.production;
  if (json !== true) print(`${file} is valid: production "${id}", ${countInWords(shots)}.`);
  return EXIT.completed;
}

function countInWords(
  shots: readonly { readonly id: string; readonly model: { readonly output: OutputKind } }[],
): string {
  const counted = shots.map(({ id, model }) => ({ id, makes: model.output }));
  return shotsInWords(
    counted,
    shots.map(({ id }) => id),
  );
}
