import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Work for a contender's program. The program's only argument is the path of a JSON file with this work. */
export interface Work {
  readonly gatewayUrl: string;
  readonly gatewayKey: string;
  /**
   * Address of the service that the contender needs (Redis, PostgreSQL, Restate, Temporal); null for a plain script.
   */
  readonly service: string | null;
  /** Folder for outputs and films: see `outputPath` and `filmPath`. */
  readonly out: string;
  /** Folder for the contender's own files. It survives restarts of the program. */
  readonly folder: string;
  /** Poll interval; for Dailies, the minimum interval. Plain scripts use the interval of the SDK that they imitate. */
  readonly pollMs: number;
  /** All jobs start at once. */
  readonly jobs: readonly Job[];
}

/** A sequence of shots. A shot may use the last frame of an earlier shot as its start frame. */
export interface Job {
  readonly id: string;
  readonly shots: readonly Shot[];
  /** Whether the clips are joined into a film. */
  readonly film: boolean;
}

export interface Shot {
  readonly id: string;
  readonly model: string;
  readonly output: 'video' | 'image' | 'text';
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Id of the earlier shot in the job whose last frame is this shot's start frame; null for none. */
  readonly startsOn: string | null;
}

export async function readWork(path: string): Promise<Work> {
  return JSON.parse(await readFile(path, 'utf8')) as Work;
}

/** Path of a shot's output: a clip, a picture or a text. */
export function outputPath({ out }: Work, job: Job, shot: Shot): string {
  return join(out, job.id, `${shot.id}.output`);
}

export function framePath({ out }: Work, job: Job, shotId: string): string {
  return join(out, job.id, `${shotId}.last.png`);
}

export function filmPath({ out }: Work, job: Job): string {
  return join(out, job.id, 'film.mp4');
}
