import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ServiceError } from '@temporalio/client';
import { Metadata, status } from '@grpc/grpc-js';
import { runVerb } from '../../../scripts/process/run-verb';
import { within } from '../../../scripts/process/surroundings';

async function failedVerb(error: Error): Promise<{ exitCode: number; stderr: string }> {
  const stderr = new PassThrough();
  const own = {
    cwd: process.cwd(),
    env: {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    signals: new EventEmitter(),
  };
  const exitCode = await within(own, () => runVerb({}, () => Promise.reject(error)));
  stderr.end();
  return { exitCode, stderr: await text(stderr) };
}

/** How Temporal's client reports a query that failed. */
function queryFailure(code: status, details: string): ServiceError {
  const cause = Object.assign(new Error(details), { code, details, metadata: new Metadata() });
  return new ServiceError('Failed to query Workflow', { cause });
}

describe('a verb whose call to Temporal fails', () => {
  it('gives the reason, and says what to do if there was no answer', async () => {
    const failed = await failedVerb(queryFailure(status.UNAVAILABLE, 'connection refused'));
    expect(failed.exitCode).toBe(4);
    expect(failed.stderr).toContain('error: Temporal: Failed to query Workflow (connection refused)\n');
    expect(failed.stderr).toContain('The command may have had its effect: look before you type it again');
  });

  it('gives the reason of a refusal', async () => {
    const failed = await failedVerb(queryFailure(status.INVALID_ARGUMENT, 'unknown query'));
    expect(failed).toEqual({
      exitCode: 1,
      stderr:
        'error: Temporal: Failed to query Workflow (unknown query)\n' +
        'Run it again with --verbose to see where that happened.\n',
    });
  });

  it('does not take a numeric code of another error for gRPC', async () => {
    const failed = await failedVerb(Object.assign(new Error('ffmpeg ended'), { code: 4 }));
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('error: ffmpeg ended\n');
  });
});
