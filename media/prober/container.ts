import {
  ADTS,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
  type InputAudioTrack,
  type InputVideoTrack,
} from 'mediabunny';

/** All formats that mediabunny reads, except playlists: a playlist could make mediabunny open other files. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, OGG, FLAC, ADTS, MPEG_TS];

/** An open video or audio file with its main tracks. */
export interface Container {
  readonly mimeType: string;
  readonly video: InputVideoTrack | null;
  readonly audio: InputAudioTrack | null;
  /** True if the file contains the last packet of each main track. */
  readonly isWhole: () => Promise<boolean>;
}

/** Opens a media file, passes it to `read`, and closes it. Rejects if it is not a media file. */
export async function withContainer<T>(path: string, read: (container: Container) => Promise<T>): Promise<T> {
  const input = new Input({ source: new FilePathSource(path), formats: FORMATS });
  try {
    const { mimeType } = await input.getFormat();
    const video = await input.getPrimaryVideoTrack();
    const audio = await input.getPrimaryAudioTrack();
    return await read({
      mimeType,
      video,
      audio,
      isWhole: async () => {
        for (const track of [video, audio]) {
          if (track && !(await hasLastPacket(track))) return false;
        }
        return true;
      },
    });
  } finally {
    input.dispose();
  }
}

async function hasLastPacket(track: InputVideoTrack | InputAudioTrack): Promise<boolean> {
  const packet = await new EncodedPacketSink(track).getPacket(Infinity);
  return packet !== null && packet.data.byteLength > 0;
}
